//! Features of 32 bits in large pages.
//!
//! A system gives memory to a program page by page, when the program writes to it first. In pages of 4 kB that takes longer than
//! drawing the numbers. Linux has pages of 2 MB for programs that ask for them.

use std::ops::Range;

use dpsda::features::Features;
use memmap2::MmapMut;
use zerocopy::FromBytes as _;

/// From so many bytes on, large pages are asked for.
const MANY: usize = 4 << 20;

/// A row-major matrix, as [`Single`](dpsda::features::Single).
pub(super) struct Pages {
    memory: Memory,
    dim: usize,
}

enum Memory {
    Small(Vec<f32>),
    Large(MmapMut),
}

impl Pages {
    /// Zeros. If there are no large pages, small ones serve.
    pub(super) fn zeros(rows: usize, dim: usize) -> Self {
        let bytes = rows * dim * size_of::<f32>();
        let large = if bytes < MANY { None } else { MmapMut::map_anon(bytes).ok() };
        #[cfg(target_os = "linux")]
        if let Some(map) = &large {
            let _ = map.advise(memmap2::Advice::HugePage); // a system without them says no
        }
        Self { memory: large.map_or_else(|| Memory::Small(vec![0.0; rows * dim]), Memory::Large), dim }
    }

    fn numbers(&self) -> &[f32] {
        match &self.memory {
            Memory::Small(numbers) => numbers,
            Memory::Large(map) => <[f32]>::ref_from_bytes(map).unwrap_or_default(), // whole numbers, at the start of a page
        }
    }

    pub(super) fn numbers_mut(&mut self) -> &mut [f32] {
        match &mut self.memory {
            Memory::Small(numbers) => numbers,
            Memory::Large(map) => <[f32]>::mut_from_bytes(map).unwrap_or_default(),
        }
    }

    fn row(&self, row: usize) -> &[f32] {
        &self.numbers()[row * self.dim..(row + 1) * self.dim]
    }
}

impl Features for Pages {
    fn len(&self) -> usize {
        self.numbers().len() / self.dim
    }

    fn dim(&self) -> usize {
        self.dim
    }

    /// Eight running sums, as those of `Single`.
    fn dot(&self, row: usize, x: &[f64]) -> f64 {
        let (a, a_rest) = self.row(row).as_chunks::<8>();
        let (x, x_rest) = x.as_chunks::<8>();
        let mut sums = [0.0; 8];
        for (a, x) in a.iter().zip(x) {
            for k in 0..8 {
                sums[k] += f64::from(a[k]) * x[k];
            }
        }
        let rest: f64 = a_rest.iter().zip(x_rest).map(|(a, x)| f64::from(*a) * x).sum();
        let [a, b, c, d, e, f, g, h] = sums;
        ((a + e) + (b + f)) + ((c + g) + (d + h)) + rest
    }

    fn add_to(&self, row: usize, block: Range<usize>, c: f64, g: &mut [f64]) {
        g.iter_mut().zip(&self.row(row)[block]).for_each(|(g, a)| *g += c * f64::from(*a));
    }

    fn stored_single(&self, row: usize) -> Option<&[f32]> {
        Some(self.row(row))
    }

    fn write(&self, row: usize, columns: Range<usize>, numbers: &mut [f64]) {
        numbers.iter_mut().zip(&self.row(row)[columns]).for_each(|(number, a)| *number = f64::from(*a));
    }
}

#[cfg(test)]
mod tests {
    use dpsda::features::Single;

    use super::*;

    #[test]
    fn small_and_large_pages_give_the_same_bits_as_numbers_of_32_bits() {
        const DIM: usize = 53; // six times eight and a rest
        for rows in [3, MANY / (4 * DIM) + 1] {
            let mut pages = Pages::zeros(rows, DIM);
            assert!(pages.numbers().iter().all(|a| *a == 0.0) && pages.numbers().len() == rows * DIM);
            let values: Vec<f32> = (0..rows * DIM).map(|k| (k as f32 * 0.7).sin()).collect();
            pages.numbers_mut().copy_from_slice(&values);
            let single = Single::new(values, DIM).unwrap();
            assert_eq!((pages.len(), pages.dim()), (rows, DIM));
            let x: Vec<f64> = (0..DIM).map(|j| (j as f64).cos()).collect();
            for row in [0, 1, rows - 1] {
                assert_eq!(pages.dot(row, &x).to_bits(), single.dot(row, &x).to_bits());
                assert_eq!(pages.stored_single(row), single.stored_single(row));
                for (start, end) in [(0, DIM), (1, 3), (20, DIM), (7, 7)] {
                    let (mut a, mut b) = (vec![1.0; end - start], vec![1.0; end - start]);
                    pages.add_to(row, start..end, 0.3, &mut a);
                    single.add_to(row, start..end, 0.3, &mut b);
                    assert_eq!(a, b);
                    pages.write(row, start..end, &mut a);
                    single.write(row, start..end, &mut b);
                    assert_eq!(a, b);
                }
            }
        }
    }
}
