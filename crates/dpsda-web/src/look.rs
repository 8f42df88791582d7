//! How algorithms are told apart on a page: one colour each, and a dash as well once colours run out.

use crate::cells::ListedRun;

/// Colours of the page, `--c0` to `--c7`.
pub(crate) const HUES: usize = 8;
/// The algorithms of the first colours. A page with any of them keeps all these colours for them, so that an algorithm looks
/// the same on every page.
const FIRST: [&str; 3] = ["dpsda-c", "dpsda-ps", "dpsda-r"];
/// Dashes in order of use. The script of the page has the same list.
pub(crate) const DASHES: [&str; 8] = ["", "7 4", "2 4", "9 4 2 4", "14 4", "9 3 2 3 2 3", "5 2", "1 3"];

/// The algorithms of a page.
pub(crate) struct Looks<'a> {
    /// Algorithms in the order of hues: the first ones, then ours, then baselines. Not all of the first ones need be on the page.
    pub(crate) hues: Vec<&'a str>,
    /// The algorithm that runs on no network, if there is exactly one beside others: the floor, drawn in ink.
    pub(crate) floor: Option<&'a str>,
}

impl<'a> Looks<'a> {
    pub(crate) fn of(cells: impl IntoIterator<Item = &'a ListedRun>) -> Self {
        let mut names: Vec<(&str, bool)> = Vec::new();
        for cell in cells {
            match names.iter_mut().find(|(name, _)| *name == cell.algorithm) {
                Some((_, central)) => *central &= cell.central,
                None => names.push((&cell.algorithm, cell.central)),
            }
        }
        let mut central = names.iter().filter(|(_, central)| *central).map(|(name, _)| *name);
        let floor = central.next().filter(|_| names.len() > 1);
        let floor = if central.next().is_some() { None } else { floor };
        let mut hues: Vec<&str> =
            names.iter().map(|(name, _)| *name).filter(|name| Some(*name) != floor).collect();
        hues.sort_by_key(|name| !["dpsda-", "dpcda", "oda-"].iter().any(|ours| name.starts_with(ours)));
        if hues.iter().any(|name| FIRST.contains(name)) {
            hues.retain(|name| !FIRST.contains(name));
            hues.splice(..0, FIRST);
        }
        Self { hues, floor }
    }

    /// Its number among the hues; none for the floor.
    fn number(&self, algorithm: &str) -> Option<usize> {
        self.hues.iter().position(|name| *name == algorithm)
    }

    /// The number of its colour; none for the floor.
    pub(crate) fn hue(&self, algorithm: &str) -> Option<usize> {
        self.number(algorithm).map(|at| at % HUES)
    }

    /// How often the colours were used up before it. Each time needs another dash.
    pub(crate) fn layer(&self, algorithm: &str) -> usize {
        self.number(algorithm).map_or(0, |at| at / HUES)
    }
}

/// A dash by its number.
pub(crate) fn dash(number: usize) -> &'static str {
    DASHES.get(number % DASHES.len()).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(name: &str, central: bool) -> ListedRun {
        ListedRun { folder: 0, run: 0, algorithm: name.into(), settings: vec![], central }
    }

    #[test]
    fn thirteen_algorithms_have_thirteen_looks_and_the_papers_come_first() {
        let names = "dpps doda dpsr osp dp-osp dp-wb dpdola dpsda-c dpsda-ps dpsda-r oda-c oda-ps";
        let mut cells: Vec<ListedRun> = names.split(' ').map(|name| cell(name, false)).collect();
        cells.push(cell("dpcda", true));
        let looks = Looks::of(&cells);
        assert_eq!(
            (looks.hue("dpsda-c"), looks.hue("dpsda-ps"), looks.layer("oda-ps")),
            (Some(0), Some(1), 0)
        );
        assert_eq!((looks.hue("dpcda"), looks.floor), (None, Some("dpcda")));
        let mut all: Vec<_> =
            cells.iter().map(|c| (looks.hue(&c.algorithm), looks.layer(&c.algorithm))).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 13);
    }

    #[test]
    fn an_algorithm_has_the_same_colour_on_every_page() {
        let alone = [cell("dpsda-r", false), cell("dpcda", true)];
        let turned = ["dpsda-r", "dpps", "dpsda-ps", "dpsda-c"].map(|name| cell(name, false));
        for cells in [&alone[..], &turned] {
            assert_eq!(Looks::of(cells).hue("dpsda-r"), Some(2));
        }
        assert_eq!(Looks::of(&turned).hue("dpps"), Some(3));
        assert_eq!(Looks::of(&[cell("dpps", false)]).hue("dpps"), Some(0));
    }

    #[test]
    fn of_several_that_run_on_no_network_none_is_the_floor() {
        let cells = [cell("a", true), cell("b", true), cell("c", false)];
        let looks = Looks::of(&cells);
        assert_eq!((looks.floor, looks.hues.len()), (None, 3));
        assert_eq!(Looks::of(&cells[..1]).floor, None, "nor one that is alone");
    }

    #[test]
    fn dashes_all_differ() {
        let mut all = DASHES.to_vec();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), DASHES.len());
    }
}
