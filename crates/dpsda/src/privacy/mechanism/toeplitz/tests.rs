use super::*;
use crate::rng::{Purpose, Seed};
use rand::RngExt;

fn toeplitz(rounds: u64, size: usize, scale: u64) -> ToeplitzNoise {
    ToeplitzNoise::new(Order { node: 0, size, rounds, scale })
}

fn stream(t: u64) -> Stream {
    Seed::default().stream(Purpose::Noise, 0, t)
}

/// Steps through two worlds that release the same, though the second one's values are larger by `moves(t)` in round `t`.
/// `draw` proposes noise for a round of the first world; of `tries` proposals the one is taken that drives the noise of the
/// worlds apart most in the round after. Returns `sum |e(t)|^2`.
fn apart(
    noise: &ToeplitzNoise,
    moves: impl Fn(u64) -> Vec<i64>,
    tries: usize,
    mut draw: impl FnMut() -> i64,
) -> i128 {
    let size = noise.size;
    let (mut first, mut second) = (LeakySums::default(), LeakySums::default());
    let (mut total, mut moved) = (0, vec![0_i128; size]);
    // One round from a state; what the worlds drew, squared and subtracted.
    let step = |first: &mut LeakySums, second: &mut LeakySums, moved: &[i128], drawn: &[i64]| {
        let (mut prefix, mut apart) = (vec![0; size], 0);
        first.advance(&noise.kernel, size, |k, _, past| {
            prefix[k] = i128::from(drawn[k]) + past;
            drawn[k]
        });
        second.advance(&noise.kernel, size, |k, _, past| {
            let other = prefix[k] - moved[k] - past;
            apart += (other - i128::from(drawn[k])).pow(2);
            i64::try_from(other).unwrap()
        });
        apart
    };
    for t in 0..noise.kernel.horizon {
        moved.iter_mut().zip(moves(t)).for_each(|(sum, m)| *sum += i128::from(m));
        let proposals: Vec<Vec<i64>> = (0..tries).map(|_| (0..size).map(|_| draw()).collect()).collect();
        let next = |drawn: &&Vec<i64>| {
            let (mut first, mut second) = (first.clone(), second.clone());
            step(&mut first, &mut second, &moved, drawn);
            step(&mut first, &mut second, &moved, drawn)
        };
        let taken = if tries == 1 { proposals.first() } else { proposals.iter().max_by_key(next) }.unwrap();
        total += step(&mut first, &mut second, &moved, taken);
    }
    total
}

#[test]
fn no_transcript_tells_worlds_apart_by_more_than_the_bound() {
    let mut rng = stream(0);
    let (mut closest, mut rounded): (f64, f64) = (0.0, 0.0);
    for (rounds, size) in [(1, 1), (2, 1), (3, 2), (7, 3), (20, 1), (60, 2), (200, 1)] {
        let noise = toeplitz(rounds, size, 10);
        for _ in 0..40 {
            // From moves that drown in rounding to moves that drown it.
            let most = 1_i64 << rng.random_range(0..30);
            let start = rng.random_range(0..rounds);
            let move_: Vec<i64> = (0..size).map(|_| rng.random_range(-most..=most)).collect();
            let moved = (move_.iter().map(|m| (*m as f64).powi(2)).sum::<f64>().sqrt().ceil() as u64).max(1);
            let at = |t| if t == start { move_.clone() } else { vec![0; size] };
            for (tries, wide) in [(1, 5), (1, 1 << 40), (12, 1000)] {
                let seen = (apart(&noise, at, tries, || rng.random_range(-wide..=wide)) as f64).sqrt();
                let bound = noise.bound(moved, 1);
                assert!(seen <= bound, "T = {rounds}, d = {size}, moved by {moved}: {seen} above {bound}");
                closest = closest.max(seen / bound);
                rounded = rounded.max((seen - noise.once * moved as f64) / noise.kernel.slack(size));
            }
        }
    }
    assert!(closest > 0.98, "the bound is wasteful: {closest}");
    assert!(rounded > 0.3, "rounding does matter, and this test sees it: {rounded} of the slack");
}

#[test]
fn no_rounds_chosen_with_a_transcript_tell_worlds_apart_by_more_than_the_bound_for_so_many() {
    let mut rng = stream(1);
    for rounds in [2, 5, 16, 50] {
        let noise = toeplitz(rounds, 1, 10);
        for times in [1, 2, 3, rounds / 2, rounds].into_iter().filter(|k| (1..=rounds).contains(k)) {
            for moved in [1, 40, 1 << 30] {
                let first = |t| vec![if t < times { moved } else { 0 }];
                let any = |t| vec![if t % 3 == 1 && t < 3 * times { -moved } else { 0 }];
                let bound = noise.bound(moved as u64, times);
                let seen = (apart(&noise, first, 4, || rng.random_range(-1000..=1000)) as f64).sqrt();
                assert!(seen <= bound, "{rounds} {times} {moved}: {seen} above {bound}");
                assert!(moved < 1 << 30 || !times.is_power_of_two() || seen > 0.999 * bound);
                let seen = (apart(&noise, any, 1, || rng.random_range(-1000..=1000)) as f64).sqrt();
                assert!(seen <= bound, "{rounds} {times} {moved}: {seen} above {bound}");
            }
        }
    }
}

#[test]
fn no_choice_of_rounds_is_worse_than_the_first_ones() {
    for rounds in [1_u64, 2, 5, 9, 11] {
        let noise = toeplitz(rounds, 1, 1);
        let f: Vec<f64> = noise.kernel.column().collect();
        let norm = |chosen: u64| {
            let moved =
                |t: usize| (0..=t).filter(|i| chosen >> i & 1 == 1).map(|i| f[t - i]).sum::<f64>().powi(2);
            (0..f.len()).map(moved).sum::<f64>().sqrt()
        };
        for times in 1..=rounds {
            let choices = (0..1_u64 << rounds).filter(|chosen| u64::from(chosen.count_ones()) == times);
            let worst = choices.map(norm).fold(0.0, f64::max);
            assert!((worst - norm((1 << times) - 1)).abs() < 1e-12);
            let bound = noise.reach(times);
            assert!(worst <= bound && (times > 1 || bound < worst * (1.0 + 1e-9)), "{worst} {bound}");
            if times.is_power_of_two() || times == rounds {
                assert!(bound < worst * (1.0 + 1e-9), "T = {rounds}, k = {times}: {worst} {bound}");
            }
            assert!(noise.reach(times - 1) <= bound, "it does not fall");
        }
    }
}

#[test]
fn a_column_falls_and_undoes_the_prefix_weights() {
    for horizon in [1, 2, 3, 17, 500, 5000] {
        let kernel = Kernel::new(horizon);
        let (f, p): (Vec<f64>, Vec<f64>) = (kernel.column().collect(), kernel.prefix().collect());
        assert_eq!((f.len() as u64, p.len() as u64, f[0], p[0]), (horizon, horizon, 1.0, 1.0));
        assert!(f.windows(2).all(|f| 0.0 < f[1] && f[1] <= f[0]), "f falls, and stays positive");
        assert!(p.windows(3).all(|p| p[1] < p[0] && p[1] * p[1] <= p[0] * p[2] * (1.0 + 1e-12)));
        for t in (0..f.len()).step_by(1 + f.len() / 50) {
            let sum: f64 = (0..=t).map(|k| f[k] * p[t - k]).sum();
            assert!((sum - 1.0).abs() < 1e-11, "P F = A: {sum}");
        }
    }
}

#[test]
fn a_few_buffers_are_within_one_percent_of_the_square_root() {
    let mut most = 0;
    for horizon in (1..60).chain([100, 240, 500, 777, 1000, 1500, 3000, 10_000, 30_000, 100_000, 1_000_000]) {
        let kernel = Kernel::new(horizon);
        let shares: u64 = kernel.modes.iter().map(|m| m.share).sum();
        assert!(shares <= 1 << kernel::BITS && kernel.modes.iter().all(|m| m.share > 0));
        assert!(kernel.modes.iter().all(|m| 0 < m.keep && m.keep < 1 << kernel::BITS));
        // Both norms of the square-root factorisation have the square 1 + (1/2)^2 + (1/2 3/4)^2 + ...
        let root = |(sum, c): (f64, f64), k: u64| (sum + c * c, c * (2 * k + 1) as f64 / (2 * k + 2) as f64);
        let (root, _) = (0..horizon).fold((0.0, 1.0), root);
        let ours = kernel.once() * kernel.prefix().map(|p| p * p).sum::<f64>().sqrt();
        assert!(ours < 1.01 * root, "T = {horizon}: {ours} against {root}");
        most = most.max(kernel.modes.len());
    }
    assert_eq!(most, 6);
    assert_eq!(Kernel::new(10_000).modes.len(), 5);
}

/// What `noise` adds to releases of zeros, and what it drew for that.
fn drawn(noise: &mut ToeplitzNoise, rounds: u64) -> (Vec<Vec<i64>>, Vec<Vec<i64>>) {
    let one = |t| {
        let (mut added, mut fresh) = (vec![0; noise.size], vec![0; noise.size]);
        noise.perturb(&mut added, &mut stream(t));
        noise.law.add_to(&mut fresh, &mut stream(t));
        (added, fresh)
    };
    (0..rounds).map(one).unzip()
}

#[test]
fn the_likelihood_is_that_of_what_was_drawn() {
    for (rounds, released, scale) in
        [(1, 1, 3), (50, 50, 40), (50, 20, 1), (10, 35, 40), (100_000, 100_000, 1 << 48)]
    {
        let mut noise = toeplitz(rounds, 2, scale);
        let (added, fresh) = drawn(&mut noise, released);
        let direct = -fresh.iter().flatten().map(|w| (*w as f64).powi(2)).sum::<f64>()
            / (2.0 * (scale as f64).powi(2));
        assert!((noise.log_likelihood(&added) - direct).abs() <= 1e-9 * direct.abs(), "T = {rounds}");
    }
}

#[test]
fn the_prefix_is_the_weighted_sum_of_what_was_drawn_to_half_a_unit() {
    let mut noise = toeplitz(400, 1, 1000);
    let (added, fresh) = drawn(&mut noise, 400);
    let p: Vec<f64> = noise.kernel.prefix().collect();
    let mut prefix = 0;
    for t in 0..400 {
        prefix += added[t][0];
        let direct: f64 = (0..=t).map(|k| p[k] * fresh[t - k][0] as f64).sum();
        assert!((prefix as f64 - direct).abs() < 0.501, "round {t}: {prefix} against {direct}");
    }
}

#[test]
fn past_the_horizon_an_event_costs_as_much_and_many_do_not_cost_less() {
    let mut noise = toeplitz(8, 2, 1000);
    let (one, all) = (noise.cost(500, 1), noise.cost(500, 8).as_rho().unwrap());
    let deviation = noise.prefix_deviation(8);
    drawn(&mut noise, 30);
    assert_eq!(noise.cost(500, 1), one);
    assert!(noise.cost(500, 8).as_rho().unwrap() >= all);
    // All of three epochs is three times all of one; the bound for 24 rounds is for epochs that were not counted out.
    assert!(noise.cost(500, 24).as_rho().unwrap() >= 3.0 * all);
    assert!((noise.prefix_deviation(24) - deviation * 3_f64.sqrt()).abs() < 1e-9);
    // So it is when the horizon is longer than a kernel can be.
    let long = toeplitz(u64::MAX, 1, 1);
    assert_eq!(long.cost(1, 1), toeplitz(kernel::LONGEST, 1, 1).cost(1, 1));
    assert_eq!(long.cost(1, u64::MAX), Price::Unbounded);
}

#[test]
fn prices_do_not_fall_in_how_far_or_how_often() {
    let noise = toeplitz(300, 5, 1 << 20);
    let rho = |moved, times| noise.cost(moved, times).as_rho().unwrap();
    assert_eq!((rho(0, 5), rho(5, 0)), (0.0, 0.0));
    for moved in [1, 1 << 10, 1 << 25] {
        for times in 1..700 {
            assert!(rho(moved, times) <= rho(moved, times + 1) && rho(moved, times) <= rho(moved + 1, times));
        }
    }
    // Rounding is in the price, and is what `rounding` says.
    let exact = (noise.once * f64::from(1 << 10)).powi(2) / (2.0 * f64::from(1 << 20).powi(2));
    let charged = exact * (1.0 + noise.rounding(1 << 10)).powi(2);
    assert!((rho(1 << 10, 1) - charged).abs() < 2e-9 && noise.rounding(1 << 10) > 0.01);
}

#[test]
fn the_largest_scale_and_values_at_the_end_of_the_range_do_not_overflow() {
    let mut noise = toeplitz(1000, 1, 1 << 48);
    for t in 0..2000 {
        let mut value = vec![i64::MAX, i64::MIN, 0][..1 + t as usize % 3].to_vec();
        noise.perturb(&mut value, &mut stream(t));
    }
    assert_eq!(noise.size, 3, "a longer release than planned is noised, and priced");
    for far in [i64::MAX, i64::MIN] {
        assert!(noise.log_likelihood(&vec![vec![far; 2]; 3000]) < -1e9);
    }
    assert!(
        noise.log_likelihood(&[]) == 0.0 && noise.log_likelihood(&[vec![1], vec![], vec![1, 2]]).is_finite()
    );
}
