//! The known word that a user probably meant.

/// The known word that is nearest, if one is near: at most two edits away, or it begins with the same three letters and at most half
/// of the longer word differs. Of two equally near words, the one with the longer common beginning.
pub(crate) fn nearest<'a>(found: &str, known: &'a [String]) -> Option<&'a str> {
    let found: Vec<char> = found.chars().collect();
    let near = known.iter().filter_map(|word| {
        let letters: Vec<char> = word.chars().collect();
        let edits = edits(&found, &letters);
        let beginning = found.iter().zip(&letters).take_while(|(a, b)| a == b).count();
        let half = found.len().max(letters.len()) / 2;
        (edits <= 2 || beginning >= 3 && edits <= half).then_some((edits, usize::MAX - beginning, word))
    });
    near.min_by_key(|(edits, ending, _)| (*edits, *ending)).map(|(_, _, word)| word.as_str())
}

/// How many letters must be added, removed, replaced or swapped with their neighbour, row by row of the usual table.
fn edits(a: &[char], b: &[char]) -> usize {
    let mut last = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, other) in b.iter().enumerate() {
            let replaced = row[j] + usize::from(letter != other);
            let least = replaced.min(row[j + 1] + 1).min(next[j] + 1);
            let swapped = i > 0 && j > 0 && *letter == b[j - 1] && a[i - 1] == *other;
            next.push(if swapped { least.min(last[j - 1] + 1) } else { least });
        }
        last = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_adds_removes_replaces_or_swaps_a_letter() {
        let edits = |a: &str, b: &str| edits(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
        assert_eq!([edits("", ""), edits("", "ab"), edits("ring", "ring")], [0, 2, 0]);
        assert_eq!(["rng", "rinng", "rang", "rign"].map(|word| edits(word, "ring")), [1; 4]);
        assert_eq!(edits("kitten", "sitting"), 3);
    }

    #[test]
    fn a_slip_or_a_beginning_finds_the_word_and_another_word_finds_none() {
        let known = ["radius", "rounds", "epsilon", "delta", "discrete-laplace"].map(str::to_owned);
        let found = |word| nearest(word, &known);
        assert_eq!(found("raduis"), Some("radius"));
        assert_eq!(found("round"), Some("rounds"));
        assert_eq!(found("epsil"), Some("epsilon"));
        assert_eq!(found("discrete-gauss"), Some("discrete-laplace"));
        assert_eq!(found("colour"), None);
        assert_eq!(found(""), None);
    }
}
