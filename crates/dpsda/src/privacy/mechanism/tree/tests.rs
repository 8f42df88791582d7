use super::*;
use crate::rng::{Purpose, Seed};

const SIZE: usize = 3;

fn tree(rounds: u64, scale: u64) -> TreeNoise {
    TreeNoise::new(Order { node: 0, size: SIZE, rounds, scale })
}

fn stream(t: u64) -> Stream {
    Seed::default().stream(Purpose::Noise, 0, t)
}

/// The noise of `rounds` releases, and of the nodes they complete, from the same streams.
fn drawn(tree: &mut TreeNoise, rounds: u64) -> (Vec<Vec<i64>>, Vec<Vec<i64>>) {
    let one = |t| {
        let (mut noise, mut node) = (vec![0; SIZE], vec![0; SIZE]);
        tree.perturb(&mut noise, &mut stream(t));
        GaussianSampler::new(tree.sigma).add_to(&mut node, &mut stream(t));
        (noise, node)
    };
    (0..rounds).map(one).unzip()
}

#[test]
fn the_noise_of_a_prefix_is_the_sum_of_its_nodes_exactly() {
    let (noise, nodes) = drawn(&mut tree(100, 50), 100);
    let mut prefix = [0; SIZE];
    for t in 1..=100_usize {
        prefix.iter_mut().zip(&noise[t - 1]).for_each(|(n, v)| *n += v);
        let (mut sum, mut left, mut count) = ([0; SIZE], t, 0);
        while left > 0 {
            sum.iter_mut().zip(&nodes[left - 1]).for_each(|(s, w)| *s += w);
            left -= 1 << left.trailing_zeros();
            count += 1;
        }
        assert_eq!(prefix, sum, "after {t} releases");
        assert_eq!(count, t.count_ones());
    }
}

#[test]
fn the_likelihood_is_that_of_the_nodes_that_were_drawn() {
    for (rounds, released) in [(1, 1), (7, 7), (64, 64), (100, 63), (10, 35)] {
        let mut tree = tree(rounds, 40);
        let (noise, nodes) = drawn(&mut tree, released);
        let direct = -nodes.iter().flatten().map(|w| (w * w) as f64).sum::<f64>() / (2.0 * 40.0 * 40.0);
        assert!((tree.log_likelihood(&noise) - direct).abs() < 1e-9 * direct.abs());
    }
}

/// `sum c(t)^2` over the nodes, by counting.
fn counted(horizon: u64, chosen: u64) -> u128 {
    let node = |t: u64| (t - (1 << t.trailing_zeros())..t).filter(|i| chosen >> i & 1 == 1).count() as u128;
    (1..=horizon).map(|t| node(t).pow(2)).sum()
}

#[test]
fn no_choice_of_rounds_costs_more_than_the_price_and_some_cost_as_much() {
    for horizon in 1..=12 {
        for times in 1..=horizon {
            let choices = (0..1_u64 << horizon).filter(|chosen| u64::from(chosen.count_ones()) == times);
            let worst = choices.map(|chosen| counted(horizon, chosen)).max().unwrap();
            let bound = tree(horizon, 1).squares(times);
            assert!(worst <= bound, "T = {horizon}, k = {times}: {worst} above {bound}");
            assert!(4 * worst >= 3 * bound, "T = {horizon}, k = {times}: {worst} far below {bound}");
            if times == 1 || times == horizon {
                assert_eq!(worst, bound, "T = {horizon}, k = {times}");
            }
        }
    }
}

#[test]
fn one_event_is_in_one_node_of_every_level() {
    for (horizon, nodes) in [(1, 1), (2, 2), (3, 2), (500, 9), (512, 10), (10_000, 14), (1_000_000, 20)] {
        assert_eq!(tree(horizon, 7).squares(1), nodes);
        assert_eq!(tree(horizon, 7).cost(35, 1), Price::gaussian(35 * 35 * nodes, 7));
    }
}

#[test]
fn past_the_horizon_an_event_costs_as_much_and_many_do_not_cost_less() {
    let mut tree = tree(5, 10);
    let (before, all) = (tree.cost(3, 1), tree.squares(5));
    drawn(&mut tree, 12);
    assert_eq!(tree.cost(3, 1), before);
    assert!(tree.squares(5) >= all);
    assert_eq!(tree.squares(15), 3 * all, "three trees, every leaf of each");
    assert!((tree.prefix_deviation(12) - 10.0 * (2.0 * 2.0 + 1.0_f64).sqrt()).abs() < 1e-12);
}

#[test]
fn prices_too_large_for_integers_are_still_prices() {
    let huge = tree(1 << 40, 1 << 48);
    let all = huge.cost(1 << 48, 1 << 40).as_rho();
    assert!(all.is_none(), "2^79 rho has no nano-rho: {all:?}");
    let one = huge.cost((1 << 49) - 2, 1).as_rho().unwrap();
    assert!((one - 41.0 * 2.0).abs() < 1e-6 && one > 41.0 * 2.0 - 1e-11, "{one}");
    for (moved, times) in [(u64::MAX, u64::MAX), (u64::MAX, 1), (1, u64::MAX)] {
        assert_eq!(tree(u64::MAX, 1).cost(moved, times), Price::Unbounded);
    }
    for (moved, times) in [(0, u64::MAX), (u64::MAX, 0)] {
        assert_eq!(tree(u64::MAX, 1).cost(moved, times).as_rho(), Some(0.0));
    }
}

#[test]
fn the_largest_scale_and_values_at_the_end_of_the_range_do_not_overflow() {
    let mut tree = tree(1 << 20, 1 << 48);
    for t in 0..2000 {
        let mut value = vec![i64::MAX, i64::MIN, 0];
        tree.perturb(&mut value, &mut stream(t));
    }
    let far = vec![vec![i64::MAX; 2]; 300];
    assert!(tree.log_likelihood(&far) < 0.0 && tree.log_likelihood(&[]) == 0.0);
    assert!(tree.log_likelihood(&[vec![1], vec![], vec![1, 2]]).is_finite());
}
