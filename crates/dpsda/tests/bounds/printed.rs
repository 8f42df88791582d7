//! The paper's formulas against numbers worked out by hand.

use dpsda::bounds::printed::Printed;
use dpsda::network::Graph;
use dpsda::network::certificate::certify;
use dpsda::network::cycle::Cycle;

use crate::rule;

/// A complete graph of two nodes: W = 1/2, theta = 1 - 1/32, and 1 - lambda = 1/4.
#[test]
fn the_printed_formulas_give_what_they_give_by_hand() {
    let topology = Cycle::fixed(Graph::of(2, [(0, 1), (1, 0)]));
    let printed = Printed {
        nodes: 2,
        dim: 2,
        square: 9.0,
        variance: 8.0, // sigma = 2: with L^ = 3 and sigma = 2 n L^ / eps, eps = 6
        psi: 5.0,
        gradient: 1.0,
        smoothness: 0.5,
        diameter: 4.0,
        step: 1.0,
    };
    assert_eq!(printed.sensitivity(1), 12.0); // (15): 2 * 2 * 3
    assert_eq!(printed.sensitivity(4), 24.0); // in a block of four
    let circulation = certify(&topology, Some(&*rule("metropolis")), false, 10);
    let slow = (31.0_f64 / 32.0 / 32.0).powi(2); // theta^2 (1 - theta)^2
    let eps = 6.0;
    // (18): 3 n^4 L^^2 / slow + 3 n^4 L^^2 + 24 n^6 L^^2 / (slow eps^2)
    let lemma_3 = 3.0 * 16.0 * 9.0 / slow + 3.0 * 16.0 * 9.0 + 24.0 * 64.0 * 9.0 / (slow * eps * eps);
    let found = printed.consensus(&circulation).unwrap();
    assert!((found / lemma_3 - 1.0).abs() < 1e-12, "{found} {lemma_3}");
    // M_1: 16 n^2 L^^2 / eps^2 + 2 n L^^2 + C + 2 (L + sqrt(n) D G) sqrt(n * (18))
    let m_1 = 16.0 * 4.0 * 9.0 / (eps * eps) + 36.0 + 5.0 + 2.0 * 3.0 * (2.0 * lemma_3).sqrt();
    let found = printed.m(&circulation, false).unwrap();
    assert!((found / m_1 - 1.0).abs() < 1e-12, "{found} {m_1}");
    assert!(
        (printed.m(&circulation, true).unwrap() - m_1 - 16.0).abs() < 1e-9,
        "(29) counts n times as many"
    );
    assert_eq!(printed.corollary(&circulation).unwrap(), 2.0 * found);

    let push_sum = certify(&topology, Some(&*rule("push-sum")), true, 10);
    // Lemma 6: beta = 2, gamma = 1, lambda = 3/4
    let slow = 0.25_f64.powi(2);
    let lemma_6 = 8.0 * 4.0 * 4.0 * 9.0 / (slow * 0.5625) + 64.0 * 16.0 * 4.0 * 9.0 / (slow * eps * eps);
    let found = printed.consensus(&push_sum).unwrap();
    assert!((found / lemma_6 - 1.0).abs() < 1e-12, "{found} {lemma_6}");
    let m_2 = 16.0 + 36.0 + 5.0 + 6.0 * (2.0 * lemma_6).sqrt();
    assert!((printed.m(&push_sum, false).unwrap() / m_2 - 1.0).abs() < 1e-12);
    let half = Printed { step: 0.5, ..printed };
    let steps = (m_2 - 5.0) / 2.0 + 10.0;
    assert!((half.m(&push_sum, false).unwrap() / steps - 1.0).abs() < 1e-12, "c scales all but C");
}
