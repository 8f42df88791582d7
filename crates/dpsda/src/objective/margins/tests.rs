//! Margins are what their definition says, to the bit.

use super::*;
use crate::features::{Bytes, Dense, Samples, Single, Sparse};
use crate::loss::Squared;
use crate::objective::Batch;

const DIM: usize = 1100; // several tiles
const COUNT: usize = 70; // not a multiple of four

fn number(k: usize) -> f64 {
    (k as f64 * 0.7).sin()
}

/// One row after the other, one coordinate after the other.
fn plainly(a: &[f64], y: &[f64], ends: &[usize]) -> f64 {
    let (mut sum, mut start) = (0.0, 0);
    for &end in ends {
        let mut block = 0.0;
        (start..end).for_each(|j| block += a[j] * y[j]);
        sum += block;
        start = end;
    }
    sum
}

/// The same numbers as dense rows and as sparse rows, and other numbers as bytes and in 32 bits.
fn samples() -> [(Samples, Vec<f64>); 4] {
    let values: Vec<f64> = (0..COUNT * DIM).map(|k| if k % 5 == 0 { number(k) } else { 0.0 }).collect();
    let entries: Vec<usize> = (0..COUNT * DIM).filter(|k| k % 5 == 0).collect();
    let starts = (0..=COUNT).map(|r| entries.partition_point(|k| *k < r * DIM)).collect();
    let columns = entries.iter().map(|k| (k % DIM) as u32).collect();
    let kept = entries.iter().map(|k| values[*k]).collect();
    let bytes: Vec<u8> = (0..COUNT * DIM).map(|k| (k * 7 % 256) as u8).collect();
    let pixels: Vec<f64> = bytes.iter().map(|b| f64::from(*b) / 255.0).collect();
    let labels = || vec![1.0; COUNT];
    let dense = Samples::new(Dense::new(values.clone(), DIM).unwrap(), labels()).unwrap();
    let sparse = Samples::new(Sparse::new(starts, columns, kept, DIM).unwrap(), labels()).unwrap();
    let images = Samples::new(Bytes::new(bytes, DIM, 255.0).unwrap(), labels()).unwrap();
    let halves: Vec<f32> = values.iter().map(|v| *v as f32).collect();
    let widened = halves.iter().map(|v| f64::from(*v)).collect();
    let single = Samples::new(Single::new(halves, DIM).unwrap(), labels()).unwrap();
    [(dense, values.clone()), (sparse, values), (images, pixels), (single, widened)]
}

#[test]
fn margins_have_the_bits_of_their_definition_however_many_are_computed_at_once() {
    let points: Vec<Vec<f64>> = (0..11).map(|p| (0..DIM).map(|j| number(j + 31 * p)).collect()).collect();
    let all: Vec<&[f64]> = points.iter().map(Vec::as_slice).collect();
    let rows: Vec<usize> = (0..COUNT).rev().collect();
    for sizes in [vec![DIM], vec![1; DIM], vec![3, 600, 7, 490], vec![256, 256, 512, 76]] {
        let end = |end: &mut usize, size: &usize| {
            *end += size;
            Some(*end)
        };
        let ends: Vec<usize> = sizes.iter().scan(0, end).collect();
        for (samples, numbers) in &samples() {
            let batch = BatchRows::new(Batch { samples, rows: &rows, loss: &Squared });
            let many = Margins::at(&batch, &ends, &all);
            for (p, y) in points.iter().enumerate() {
                let plain: Vec<f64> =
                    rows.iter().map(|row| plainly(&numbers[row * DIM..(row + 1) * DIM], y, &ends)).collect();
                assert_eq!(many.of(p), plain, "{sizes:?} {p}");
                assert_eq!(at_one(&batch, &ends, y), plain, "{sizes:?} {p}");
            }
        }
    }
}

#[test]
fn a_margin_is_the_sum_of_the_sums_over_blocks() {
    let [(dense, _), _, (images, _), (single, _)] = samples();
    let rows: Vec<usize> = (0..COUNT).collect();
    let (ends, y) = ([500, 503, DIM], (0..DIM).map(number).collect::<Vec<_>>());
    for samples in [dense, images, single] {
        let batch = BatchRows::new(Batch { samples: &samples, rows: &rows, loss: &Squared });
        let mut total = vec![0.0; COUNT];
        let mut turned = TurnedRows::none();
        pieces(&batch, &ends, 1000, |piece| {
            turned.read(&piece);
            let mut start = piece.columns.start;
            for &end in piece.ends {
                // The same point three times.
                let (points, mut sums) =
                    (y[start..end].repeat(3), vec![Eight::default(); 3 * turned.groups()]);
                dispatch!(wide::level(), simd => turned.sums(simd, &(start..end), &points, &mut sums));
                for sums in sums.chunks(turned.groups()) {
                    let sums = sums.iter().flat_map(|eight| eight.0).take(piece.rows.len());
                    let expected = piece.numbers.iter().map(|row| {
                        plainly(&row[start - piece.first..end - piece.first], &y[start..end], &[end - start])
                    });
                    assert_eq!(sums.collect::<Vec<f64>>(), expected.collect::<Vec<f64>>());
                }
                for (total, sum) in total[piece.rows.clone()].iter_mut().zip(sums.iter().flat_map(|s| s.0)) {
                    *total += sum;
                }
                start = end;
            }
        });
        assert_eq!(at_one(&batch, &ends, &y), total);
    }
}
