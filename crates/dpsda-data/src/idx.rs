//! Arrays of bytes in IDX files, the format of MNIST: two zeros, the type of the items, the number of dimensions, the
//! dimensions as big-endian `u32`, then the items, the last dimension running fastest.

use dpsda::Error;

/// The type "unsigned byte", the only one read here.
const BYTES: u8 = 0x08;

/// The dimensions and the items of an array of `N` dimensions. Nothing is copied. The product of the dimensions is the number of
/// items, so room made for them is never larger than the file.
pub(super) fn parse<'a, const N: usize>(
    place: &str,
    content: &'a [u8],
) -> Result<([u32; N], &'a [u8]), Error> {
    let wrong = |problem: String| Error::data(place, problem);
    let Some((start, rest)) = content.split_first_chunk::<4>() else {
        return Err(wrong(format!("the file has {} bytes, expected an IDX file", content.len())));
    };
    let right = magic::<N>();
    if *start != right {
        let (found, right) = (u32::from_be_bytes(*start), u32::from_be_bytes(right));
        let expected = format!("expected {right:#010x}, an IDX file of bytes in {N} dimension(s)");
        return Err(wrong(format!("the file starts with {found:#010x}, {expected}")));
    }
    let mut dims = [0; N];
    let mut items = rest;
    for (k, dim) in dims.iter_mut().enumerate() {
        let Some((bytes, after)) = items.split_first_chunk::<4>() else {
            let has = items.len();
            return Err(wrong(format!(
                "the file ends in dimension {} of {N}: 4 bytes expected, {has} found",
                k + 1
            )));
        };
        (*dim, items) = (u32::from_be_bytes(*bytes), after);
    }
    let expected = dims.iter().fold(1, |product: u128, dim| product.saturating_mul(u128::from(*dim)));
    if expected != items.len() as u128 {
        let dims = dims.map(|dim| dim.to_string()).join(" x ");
        let found = items.len();
        return Err(wrong(format!("{found} bytes follow the dimensions, expected {dims} = {expected}")));
    }
    Ok((dims, items))
}

/// The file that [`parse`] reads as `dims` and `items`.
pub(super) fn file<const N: usize>(dims: [u32; N], items: &[u8]) -> Vec<u8> {
    let mut file = magic::<N>().to_vec();
    dims.iter().for_each(|dim| file.extend(dim.to_be_bytes()));
    file.extend(items);
    file
}

/// How a file of bytes in `N` dimensions starts.
const fn magic<const N: usize>() -> [u8; 4] {
    [0, 0, BYTES, N as u8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refuses(content: &[u8], message: &str) {
        assert_eq!(parse::<3>("m", content).unwrap_err().to_string(), message);
    }

    #[test]
    fn what_is_written_is_read() {
        let written = file([2, 1, 3], b"abcdef");
        assert_eq!(written[..8], [0, 0, 8, 3, 0, 0, 0, 2]);
        assert_eq!(parse::<3>("m", &written), Ok(([2, 1, 3], &b"abcdef"[..])));
        assert_eq!(parse::<1>("m", &file([0], b"")), Ok(([0], &b""[..])));
    }

    #[test]
    fn malformed_files_are_told_what_is_wrong() {
        refuses(b"", "m: the file has 0 bytes, expected an IDX file");
        refuses(
            &file([1], b"a"),
            "m: the file starts with 0x00000801, expected 0x00000803, an IDX file of bytes in 3 dimension(s)",
        );
        refuses(
            b"\x1f\x8b\x08\0",
            "m: the file starts with 0x1f8b0800, expected 0x00000803, an IDX file of bytes in 3 dimension(s)",
        );
        refuses(
            b"\0\0\x08\x03\0\0\0\x02\0\0",
            "m: the file ends in dimension 2 of 3: 4 bytes expected, 2 found",
        );
        refuses(&file([2, 1, 3], b"abcde"), "m: 5 bytes follow the dimensions, expected 2 x 1 x 3 = 6");
        refuses(&file([2, 1, 3], b"abcdefg"), "m: 7 bytes follow the dimensions, expected 2 x 1 x 3 = 6");
        refuses(
            &file([u32::MAX; 3], b"a"),
            "m: 1 bytes follow the dimensions, expected 4294967295 x 4294967295 x 4294967295 = \
             79228162458924105385300197375",
        );
    }

    #[test]
    fn no_truncation_and_no_two_flipped_bits_promise_more_items_than_there_are() {
        let whole = file([2, 2, 3], b"abcdefghijkl");
        let fits = |content: &[u8]| match parse::<3>("m", content) {
            Ok((dims, items)) => {
                assert_eq!(dims.iter().map(|d| u128::from(*d)).product::<u128>(), items.len() as u128);
                assert_eq!(items.len() + 16, content.len());
                true
            }
            Err(_) => false,
        };
        assert!(fits(&whole));
        for end in 0..whole.len() {
            assert!(!fits(&whole[..end]), "cut at {end}");
        }
        let bits = 8 * whole.len();
        let mut read = 0;
        for (a, b) in (0..bits).flat_map(|a| (0..=a).map(move |b| (a, b))) {
            let mut flipped = whole.clone();
            flipped[a / 8] ^= 1 << (a % 8);
            if b < a {
                flipped[b / 8] ^= 1 << (b % 8);
            }
            let header = a / 8 < 16 || b / 8 < 16;
            let good = fits(&flipped);
            assert!(good || header, "bits {a} and {b}: items may be any bytes");
            read += usize::from(good);
        }
        let items = 8 * 12;
        assert!(read >= items * (items + 1) / 2 && read < bits * (bits + 1) / 2, "{read}");
    }
}
