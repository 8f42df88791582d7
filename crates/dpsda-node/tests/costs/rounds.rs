//! Rounds are unambiguous: a gradient is used in the round that it names, or not at all.

use dpsda_node::stream::{CostReply, EstimateDigest, GivenCost};

use crate::node::{Running, experiment, gradient};
use crate::same::EXPERIMENT;

#[tokio::test]
async fn a_gradient_for_another_round_is_refused_and_nothing_is_skipped() {
    let experiment = experiment(EXPERIMENT);
    for in_step in [false, true] {
        let node = Running::start(&experiment, in_step);
        let first = node.after(None).await;
        assert_eq!((first.t, first.epoch, first.rounds, first.block), (0, 0, 12, [2, 4]));
        assert_eq!(first.estimate.len(), 4);
        assert_eq!(
            node.send(3, gradient(&[1.0, 1.0])).await,
            CostReply::Early(0),
            "no estimate of round 3 exists"
        );
        assert_eq!(node.send(0, gradient(&[1.0, 1.0])).await, CostReply::Taken { round: 0, skipped: 0 });
        assert_eq!(node.send(0, gradient(&[9.0, 9.0])).await, CostReply::Duplicate(1), "it was used once");
        assert_eq!(node.after(Some(0)).await.t, 1);
        assert_eq!(node.send(12, gradient(&[1.0, 1.0])).await, CostReply::Over);
        for t in 1..12 {
            assert_eq!(node.send(t, gradient(&[1.0, 1.0])).await, CostReply::Taken { round: t, skipped: 0 });
        }
        assert_eq!(node.send(12, gradient(&[1.0, 1.0])).await, CostReply::Over);
        let now = node.board.now();
        let stream = now.stream;
        assert_eq!(
            (stream.taken, stream.early, stream.duplicates, stream.gaps, stream.over),
            (12, 1, 1, 0, 2)
        );
        assert_eq!(now.releases, 12, "one release per round");
        let rounds: Vec<u64> = node.decided.lock().unwrap().iter().map(|(round, _)| *round).collect();
        assert_eq!(rounds, (0..=12).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn the_estimate_of_a_round_stays_until_its_cost_is_learned() {
    let experiment = experiment(EXPERIMENT);
    let node = Running::start(&experiment, false);
    let first = node.after(None).await;
    for _ in 0..20 {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await; // ticks pass
        assert_eq!(*node.after(None).await, *first);
    }
    assert!(matches!(node.send(0, gradient(&[1.0, -1.0])).await, CostReply::Taken { .. }));
    let second = node.after(Some(0)).await;
    assert_ne!(second.estimate[2..4], first.estimate[2..4], "it has learned");
    let decided = node.decided.lock().unwrap().clone();
    assert_eq!(decided[1], (1, second.estimate[2..4].to_vec()), "its own block is what it decides");
}

#[tokio::test]
async fn a_gradient_at_another_estimate_is_refused_and_the_round_stays_open() {
    let experiment = experiment(EXPERIMENT);
    for in_step in [false, true] {
        let node = Running::start(&experiment, in_step);
        let at = |at| GivenCost::Gradient { own: vec![1.0, 1.0], public: Vec::new(), at: Some(at) };
        for t in 0_u64..3 {
            let view = node.after(t.checked_sub(1)).await;
            assert_eq!(view.at(), EstimateDigest::of(t, &view.estimate));
            let mut other = view.estimate.clone();
            other[0] += 1e-9;
            for wrong in [EstimateDigest::of(t, &other), EstimateDigest::of(t + 1, &view.estimate)] {
                assert_eq!(node.send(t, at(wrong)).await, CostReply::Stale);
            }
            assert_eq!(node.send(t, at(view.at())).await, CostReply::Taken { round: t, skipped: 0 });
            assert_eq!(node.send(t, at(view.at())).await, CostReply::Duplicate(t + 1));
        }
        let now = node.board.now();
        assert_eq!((now.stream.taken, now.stream.stale, now.releases), (3, 6, 3));
    }
}

#[tokio::test]
async fn numbers_beyond_the_clip_count_as_much_as_the_clip_allows_and_never_stop_a_node() {
    let experiment = experiment(EXPERIMENT);
    let node = Running::start(&experiment, false);
    node.after(None).await;
    let extremes = [
        gradient(&[f64::MAX, f64::MIN]),
        gradient(&[f64::MIN_POSITIVE, -0.0]),
        gradient(&[f64::INFINITY, f64::NAN]),
        GivenCost::Gradient { own: vec![f64::MAX; 2], public: vec![f64::MAX; 2], at: None },
    ];
    for (t, cost) in (0..).zip(extremes) {
        assert_eq!(node.send(t, cost).await, CostReply::Taken { round: t, skipped: 0 });
        assert!(node.after(Some(t)).await.estimate.iter().all(|y| y.is_finite()));
    }
    assert_eq!(node.board.now().releases, 4);
}
