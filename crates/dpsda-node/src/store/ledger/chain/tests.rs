use dpsda::privacy::Price;

use super::super::{NodeBudget, Totals};
use super::*;
use crate::manifest::Pledge;

fn about(identity: &Identity) -> About {
    About {
        run: "test".into(),
        node: "node-0".into(),
        manifest: [5; 32],
        key: identity.public(),
        promise: Pledge {
            adjacency: "round".into(),
            mechanism: "discrete-gaussian".into(),
            scale: 1.0,
            unit: 0.5,
            epsilon: Some(1.0),
            delta: 1e-5,
            claim: "eps 1".into(),
        },
        budget: NodeBudget { lifetime: Some(3.0), ..NodeBudget::default() },
        rules: Rules::First,
    }
}

fn line(number: u64) -> LedgerLine {
    let cost = Price::Zcdp { nano_rho: 10 };
    LedgerLine {
        number,
        epoch: 0,
        round: number - 1,
        when: 1_000 + number,
        event: Some(number - 1),
        price: cost,
        releases: number,
        totals: Totals { event: cost, person: None, lifetime: cost.times(number) },
        entry: [number as u8; 32],
        record: [!(number as u8); 32],
    }
}

/// Lines 1 to `last`, those before `first` folded.
fn book(first: u64, last: u64) -> Book {
    let identity = Identity::from_secret([1; 32]);
    let about = about(&identity);
    let mut digest = beginning(&about);
    let mut links: Vec<ChainLink> = Vec::new();
    for number in 1..=last {
        links.push(ChainLink::new(digest, line(number)));
        digest = links[links.len() - 1].digest;
    }
    let kept = links.split_off(first as usize - 1);
    Book {
        end: ChainEnd::new(&about, last, digest, &identity),
        folded: links.pop(),
        links: kept.into_iter().map(|link| (link.line.number, Some(link))).collect(),
        record: (last > 0).then(|| line(last).record),
        about,
    }
}

#[test]
fn an_unchanged_ledger_is_whole() {
    for (first, last) in [(1, 0), (1, 1), (1, 9), (4, 9), (9, 9)] {
        assert_eq!(book(first, last).verify(), Ok(()), "{first} to {last}");
        assert_eq!(book(first, last).last().map(|line| line.number), (last > 0).then_some(last));
    }
}

#[test]
fn an_altered_line_is_named() {
    let changes: [fn(&mut ChainLink); 8] = [
        |link| link.line.round += 1,
        |link| link.line.when -= 1,
        |link| link.line.event = None,
        |link| link.line.price = Price::default(),
        |link| link.line.totals.lifetime = Price::default(),
        |link| link.line.entry[0] ^= 1,
        |link| link.digest[0] ^= 1,
        |link| {
            *link = ChainLink::new(link.previous, LedgerLine { price: Price::default(), ..link.line.clone() })
        },
    ];
    for (k, change) in changes.iter().enumerate() {
        let mut book = book(4, 9);
        change(book.links[2].1.as_mut().unwrap());
        // A forger who also adapts the digest breaks the next line.
        assert_eq!(book.verify(), Err(BrokenChain::Altered(if k < 7 { 6 } else { 7 })), "change {k}");
        let mut book = self::book(4, 9);
        change(book.folded.as_mut().unwrap());
        assert_eq!(
            book.verify(),
            Err(BrokenChain::Altered(if k < 7 { 3 } else { 4 })),
            "change {k} of the checkpoint"
        );
    }
    let mut book = book(1, 9);
    book.links[4].1 = None;
    assert_eq!(book.verify(), Err(BrokenChain::Unreadable(5)));
}

#[test]
fn a_removed_swapped_or_added_line_is_named() {
    let mut removed = book(4, 9);
    removed.links.remove(2);
    assert_eq!(removed.verify(), Err(BrokenChain::Missing(6)));
    let mut shorter = book(4, 9);
    shorter.links.pop();
    assert_eq!(shorter.verify(), Err(BrokenChain::Missing(9)));
    let mut unfolded = book(4, 9);
    unfolded.folded = None;
    assert_eq!(unfolded.verify(), Err(BrokenChain::Missing(1)));
    let mut swapped = book(4, 9);
    swapped.links.swap(1, 2);
    (swapped.links[1].0, swapped.links[2].0) = (5, 6);
    assert_eq!(swapped.verify(), Err(BrokenChain::Altered(5)));
    let mut renumbered = book(4, 9);
    renumbered.links.remove(0);
    renumbered.links.iter_mut().for_each(|(number, _)| *number -= 1);
    assert_eq!(renumbered.verify(), Err(BrokenChain::Altered(4)));
    let mut longer = book(4, 9);
    let next = ChainLink::new(longer.end.digest, line(10));
    longer.links.push((10, Some(next)));
    assert_eq!(longer.verify(), Err(BrokenChain::Added(10)));
}

/// Old ledgers state no rules, and their signatures still hold.
#[test]
fn rules_are_signed_unless_they_are_the_first() {
    let About { run, node, manifest, key, promise, budget, .. } = about(&Identity::from_secret([1; 32]));
    let before = postcard::to_stdvec(&(run, node, manifest, key, promise, budget)).unwrap();
    let first = about(&Identity::from_secret([1; 32]));
    assert_eq!(beginning(&first), Digest::from(Sha256::digest(&before)));
    let second = About { rules: Rules::Second, ..first.clone() };
    assert_ne!(beginning(&second), beginning(&first));
    let read: About = postcard::from_bytes(&before).unwrap();
    assert_eq!(read, first);
    let mut changed = book(4, 9);
    changed.about.rules = Rules::Second;
    assert_eq!(changed.verify(), Err(BrokenChain::Unsigned(9)));
}

#[test]
fn only_the_node_ends_a_ledger() {
    let stranger = Identity::from_secret([2; 32]);
    let mut forged = book(4, 9);
    let next = ChainLink::new(forged.end.digest, line(10));
    forged.end = ChainEnd::new(&forged.about, 10, next.digest, &stranger);
    forged.record = Some(line(10).record);
    forged.links.push((10, Some(next)));
    assert_eq!(forged.verify(), Err(BrokenChain::Unsigned(10)));
    let mut richer = book(4, 9);
    richer.about.budget.lifetime = Some(300.0);
    assert_eq!(richer.verify(), Err(BrokenChain::Unsigned(9)));
    let mut other = book(4, 9);
    other.record = Some([0; 32]);
    assert_eq!(other.verify(), Err(BrokenChain::Record(9)));
    let mut gone = book(4, 9);
    gone.record = None;
    assert_eq!(gone.verify(), Err(BrokenChain::Record(9)));
}
