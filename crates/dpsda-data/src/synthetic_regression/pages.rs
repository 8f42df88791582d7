//! Memory for drawn numbers in large pages.
//!
//! A system gives memory to a program page by page, when the program writes to it first. In pages of 4 kB that takes longer than
//! drawing the numbers. Linux has pages of 2 MB for programs that ask for them.

use memmap2::MmapMut;
use zerocopy::FromBytes as _;

/// From so many bytes on, large pages are asked for.
const MANY: usize = 4 << 20;

/// Numbers of 32 bits.
pub(super) enum Pages {
    Small(Vec<f32>),
    Large(MmapMut),
}

impl Pages {
    /// This many zeros. If there are no large pages, small ones serve.
    pub(super) fn zeros(count: usize) -> Self {
        let bytes = count * size_of::<f32>();
        let large = if bytes < MANY { None } else { MmapMut::map_anon(bytes).ok() };
        #[cfg(target_os = "linux")]
        if let Some(map) = &large {
            let _ = map.advise(memmap2::Advice::HugePage); // a system without them says no
        }
        large.map_or_else(|| Self::Small(vec![0.0; count]), Self::Large)
    }
}

impl AsRef<[f32]> for Pages {
    fn as_ref(&self) -> &[f32] {
        match self {
            Self::Small(numbers) => numbers,
            Self::Large(map) => <[f32]>::ref_from_bytes(map).unwrap_or_default(), // whole numbers, at the start of a page
        }
    }
}

impl AsMut<[f32]> for Pages {
    fn as_mut(&mut self) -> &mut [f32] {
        match self {
            Self::Small(numbers) => numbers,
            Self::Large(map) => <[f32]>::mut_from_bytes(map).unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_pages_hold_what_is_written() {
        for count in [0, 3, MANY / 4 + 1] {
            let mut pages = Pages::zeros(count);
            assert_eq!(matches!(pages, Pages::Large(_)), count > 3);
            assert!(pages.as_ref().len() == count && pages.as_ref().iter().all(|a| *a == 0.0));
            let values: Vec<f32> = (0..count).map(|k| (k as f32 * 0.7).sin()).collect();
            pages.as_mut().copy_from_slice(&values);
            assert!(pages.as_ref() == values);
        }
    }
}
