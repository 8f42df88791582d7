//! What floating point tells is what exact arithmetic says.

use rand::Rng as _;

use super::super::Script;
use super::*;
use crate::rng::{Purpose, Seed, Stream};

fn stream(i: u64) -> Stream {
    Seed::default().stream(Purpose::Noise, 0, i)
}

/// Scales of all sizes, and neighbours of powers of two.
const SCALES: [u64; 10] =
    [1, 2, 3, 10, 1000, 1 << 20, (1 << 20) + 7, (1 << 28) - 1, (1 << 33) + 1, MAX_BLOCK_SCALE];

/// Both ways for words of all kinds: random ones, and such that begin with many zeros or ones. How many were open.
fn agree<L: BlockLaw>(law: &L, attempts: u64, seed: u64) -> usize {
    let (mut words, mut more, mut open) = (stream(seed), stream(!seed), 0);
    for i in 0..attempts {
        let shaped = |word: u64| match i % 8 {
            0 => word >> (i / 8 % 64),
            1 => !(word >> (i / 8 % 64)),
            _ => word,
        };
        let (first, second) = (shaped(words.next_u64()), shaped(words.next_u64()));
        let (draw, fate) = law.attempt(first, second);
        if fate & OPEN != 0 {
            open += 1;
            continue;
        }
        let exact = law.exactly(first, second, &mut more);
        assert_eq!((fate == 0).then_some(draw), exact, "{first:#x} {second:#x}");
    }
    open
}

#[test]
fn an_attempt_that_is_not_open_is_the_exact_one() {
    for scale in SCALES {
        let open = agree(&BlockLaplace::new(scale), 20_000, scale);
        assert!(open < 6_000, "{scale}: {open}");
        let open = agree(&BlockGaussian::new(scale), 10_000, scale);
        assert!(open < 4_000, "{scale}: {open}");
    }
}

/// The last number of 52 bits before a border and the first behind it: there the two could differ.
#[test]
fn next_to_borders_they_agree_too() {
    let mut more = stream(0);
    for scale in SCALES {
        let law = BlockLaplace::new(scale);
        for m in [1, 2, 3, 7, scale / 2, scale, 3 * scale].into_iter().filter(|m| *m > 0) {
            let border = (-(m as f64) / scale as f64).exp() * 0.5_f64.powi(-64);
            for off in -300_i64..300 {
                let word = (border as u64).saturating_add_signed(off << 9);
                let (draw, fate) = law.attempt(word, 0);
                if fate & OPEN == 0 {
                    let exact = law.exactly(word, 0, &mut more);
                    assert_eq!((fate == 0).then_some(draw), exact, "{scale} {m} {off}");
                }
            }
        }
    }
}

#[test]
fn hardly_any_attempt_is_open_at_the_scales_of_plans() {
    let open = |scale| {
        let (law, mut words) = (BlockGaussian::new(scale), stream(scale));
        (0..400_000).filter(|_| law.attempt(words.next_u64(), words.next_u64()).1 & OPEN != 0).count()
    };
    assert_eq!(open(1000), 0);
    assert!(open(1 << 28) < 40);
    assert!((100..4000).contains(&open(MAX_BLOCK_SCALE)));
}

/// Every kind of processor has the same loops: here their values are compared with exact attempts, one at a time.
#[test]
fn a_block_is_its_attempts_one_by_one() {
    for scale in SCALES {
        one_by_one(&BlockLaplace::new(scale), scale);
        one_by_one(&BlockGaussian::new(scale), scale);
    }
}

fn one_by_one<L: BlockLaw>(law: &L, seed: u64) {
    for count in [1, 31, 700] {
        let (mut values, mut words) = (vec![0; count], stream(seed));
        add_to(law, &mut values, &mut words);
        let (mut again, mut n) = (stream(seed), 0);
        while n < count {
            let size = (count - n).min(BLOCK);
            let mut block = || (0..size).map(|_| again.next_u64()).collect::<Vec<_>>();
            let first = block();
            let second = if L::WORDS == 2 { block() } else { vec![0; size] };
            for (first, second) in first.into_iter().zip(second) {
                if let Some(draw) = law.exactly(first, second, &mut again) {
                    assert_eq!(values[n], draw, "{seed} {n}");
                    n += 1;
                }
            }
        }
        assert_eq!(words, again, "{seed}");
    }
}

#[test]
fn minus_zero_is_drawn_again_and_an_open_attempt_draws_on() {
    // U near 1 is size zero, with the lowest bit of its word for a minus. U = 1/e has size 10 or 9 at scale 10: that is open.
    let (plus, minus) = (u64::MAX << 12, u64::MAX << 12 | 1);
    let mut rng = Script::new([minus, plus, minus, plus, plus]);
    let mut two = [5, 7];
    BlockLaplace::new(10).add_to(&mut two, &mut rng);
    assert_eq!((two, rng.0.len()), ([5, 7], 1));
    let e = 0x2F16_AC6C_59DE_6F8D_u64 << 1; // the first 63 bits of 1/e, and a plus
    for (next, draw) in [(0, 10), (u64::MAX, 9)] {
        let mut rng = Script::new([e, next]);
        let mut one = [0];
        BlockLaplace::new(10).add_to(&mut one, &mut rng);
        assert_eq!((one, rng.0.len()), ([draw], 0));
    }
    // The size is open, then kept: 9 is close to sigma.
    let mut rng = Script::new([e | 1, 1 << 62, u64::MAX]);
    let mut one = [0];
    BlockGaussian::new(10).add_to(&mut one, &mut rng);
    assert_eq!((one, rng.0.len()), ([-9], 0));
    // Zero is kept with probability exp(-1/2), whose first 63 bits these are. The third attempt is far from open.
    let root = 0x4DA2_CBF1_BE58_27F9_u64 << 1;
    for (next, left) in [(0, 2), (u64::MAX, 0)] {
        let mut rng = Script::new([plus, root, next, plus, 1 << 62]);
        let mut one = [0];
        BlockGaussian::new(10).add_to(&mut one, &mut rng);
        assert_eq!((one, rng.0.len()), ([0], left));
    }
}

#[test]
fn a_word_of_zeros_is_large_and_not_endless() {
    let mut rng = stream(1);
    for scale in SCALES {
        let draw = BlockLaplace::new(scale).exactly(0, 0, &mut rng).unwrap();
        // 63 zeros are 43.7 scales.
        assert!((draw as f64) > 43.0 * scale as f64 && (draw as f64) < 80.0 * (scale as f64 + 1.0), "{draw}");
        assert_eq!(BlockGaussian::new(scale).exactly(0, u64::MAX, &mut rng), None);
    }
}
