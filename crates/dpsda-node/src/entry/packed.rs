//! The wire format of integers: their count, then one byte with the number of bits of each, then all numbers (zigzag, lowest bit
//! first). The widest number sets the number of bits, so every list has exactly one encoding.

use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer, de::Error as _};

use super::AsBytes;

/// The bytes of `count` numbers with `width` bits each.
fn bytes(count: usize, width: u32) -> Option<usize> {
    count.checked_mul(width as usize).map(|bits| bits.div_ceil(8))
}

fn zigzag(x: i64) -> u64 {
    ((x << 1) ^ (x >> 63)) as u64
}

/// The number of bits of the widest number, at least 1.
fn width(numbers: &[i64]) -> u32 {
    let all = numbers.iter().fold(0, |all, x| all | zigzag(*x));
    (64 - all.leading_zeros()).max(1)
}

fn pack(numbers: &[i64]) -> Vec<u8> {
    if numbers.is_empty() {
        return Vec::new();
    }
    let width = width(numbers);
    let mut packed = Vec::with_capacity(1 + bytes(numbers.len(), width).unwrap_or(0));
    packed.push(width as u8);
    let (mut word, mut bits) = (0_u64, 0);
    for x in numbers {
        let x = zigzag(*x);
        word |= x << bits; // fewer than 64 bits wait
        bits += width;
        if bits >= 64 {
            packed.extend(word.to_le_bytes());
            bits -= 64;
            word = x.checked_shr(width - bits).unwrap_or(0); // the bits that did not fit
        }
    }
    packed.extend(&word.to_le_bytes()[..bits.div_ceil(8) as usize]);
    packed
}

/// None for bytes that [`pack`] never gives: another length, another width, or bits after the last number.
fn unpack(count: usize, packed: &[u8]) -> Option<Vec<i64>> {
    let Some((bits_each, rest)) = packed.split_first() else { return (count == 0).then(Vec::new) };
    let each = u32::from(*bits_each);
    if count == 0 || !(1..=64).contains(&each) || bytes(count, each)? != rest.len() {
        return None;
    }
    let last = (count * each as usize % 8) as u32; // bits of the last byte, or 0 for all of them
    if last > 0 && rest.last().is_some_and(|byte| byte >> last != 0) {
        return None;
    }
    let numbers = if each <= NARROW { narrow(count, each, rest) } else { wide(count, each, rest) };
    (width(&numbers) == each).then_some(numbers)
}

/// The most bits of a number that always lies within eight bytes, whatever bit it begins at.
const NARROW: u32 = 57;

fn zagzig(x: u64) -> i64 {
    (x >> 1) as i64 ^ -((x & 1) as i64)
}

/// Each number from the eight bytes that it lies in.
fn narrow(count: usize, each: u32, packed: &[u8]) -> Vec<i64> {
    let (each, mask) = (each as usize, u64::MAX >> (64 - each));
    let at = |bytes: &[u8], bit: usize| {
        let eight = bytes.get(bit / 8..).and_then(<[u8]>::first_chunk);
        zagzig(eight.map_or(0, |eight| u64::from_le_bytes(*eight)) >> (bit % 8) & mask)
    };
    // Eight bytes follow the beginning of these, and zeros are added after the others.
    let inner = count.min(packed.len().saturating_sub(8) * 8 / each);
    let (byte, bit) = (inner * each / 8, inner * each % 8);
    let end = [&packed[byte..], &[0; 8]].concat();
    let mut numbers = Vec::with_capacity(count); // at most eight per byte of input
    numbers.extend((0..inner).map(|k| at(packed, k * each)));
    numbers.extend((0..count - inner).map(|k| at(&end, bit + k * each)));
    numbers
}

/// All numbers in turn, with the bits that wait for the next one.
fn wide(count: usize, each: u32, packed: &[u8]) -> Vec<i64> {
    let mask = u64::MAX >> (64 - each);
    let (mut waiting, mut bits) = (0_u128, 0);
    let mut words = packed.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    });
    let number = |_| {
        if bits < each {
            waiting |= u128::from(words.next().unwrap_or(0)) << bits; // fewer than 64 bits wait
            bits += 64;
        }
        let x = waiting as u64 & mask;
        waiting >>= each;
        bits -= each;
        zagzig(x)
    };
    (0..count).map(number).collect()
}

pub(crate) fn serialize<S: Serializer>(numbers: &[i64], to: S) -> Result<S::Ok, S::Error> {
    (numbers.len() as u64, AsBytes(&pack(numbers))).serialize(to)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<i64>, D::Error> {
    let (count, packed) = <(u64, &'de [u8])>::deserialize(from)?;
    let count = usize::try_from(count).ok();
    count.and_then(|count| unpack(count, packed)).ok_or_else(|| D::Error::custom("not packed integers"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists() -> Vec<Vec<i64>> {
        let mut lists =
            vec![vec![], vec![0], vec![0; 9], vec![-1], vec![i64::MIN, i64::MAX, 0], vec![1, -1, 1]];
        for k in 0..63 {
            lists.push((0..17).map(|x| (x - 8) << k.min(59)).collect());
            lists.push(vec![1 << k, -(1 << k), 3]);
        }
        lists
    }

    #[test]
    fn packed_numbers_unpack_and_take_as_many_bits_as_the_widest() {
        for list in lists() {
            let packed = pack(&list);
            assert_eq!(unpack(list.len(), &packed).as_ref(), Some(&list));
            if !list.is_empty() {
                assert_eq!(packed.len(), 1 + (list.len() * width(&list) as usize).div_ceil(8));
            }
        }
        assert_eq!(pack(&[0, -1, 1, -2]), [2, 0b11_10_01_00]);
    }

    #[test]
    fn every_list_has_one_encoding() {
        for list in lists() {
            let packed = pack(&list);
            for k in 0..packed.len() * 8 {
                let mut other = packed.clone();
                other[k / 8] ^= 1 << (k % 8);
                if let Some(numbers) = unpack(list.len(), &other) {
                    assert_ne!(numbers, list);
                    assert_eq!(pack(&numbers), other);
                }
            }
            assert_eq!(unpack(list.len() + 9, &packed), None);
            assert_eq!(unpack(list.len(), &[&packed[..], &[0]].concat()), None);
        }
        // A false length allocates no memory.
        assert_eq!((unpack(usize::MAX, &[64, 0]), unpack(usize::MAX / 2, &[1, 0])), (None, None));
        assert_eq!((unpack(1, &[0]), unpack(1, &[65, 0]), unpack(0, &[1])), (None, None, None));
    }
}
