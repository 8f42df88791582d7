//! Strict verification, without decoding the point of a signature.
//!
//! `VerifyingKey::verify_strict` refuses a signature in two more cases than `verify`: its point `R` has a small order, or the key
//! has. It decodes `R` for this, which takes a quarter of its time. `verify` compares the bytes of `R` with the canonical encoding
//! of the point that it computes. So if it accepts a signature, `R` has a small order exactly if its bytes are one of the eight
//! canonical encodings below. Keys of small order are refused when they are read.

use ed25519_dalek::{Signature, Verifier as _, VerifyingKey};

/// The canonical encodings of the points whose order divides 8: of order 1, 2, 4, 4, and four of order 8.
const SMALL_ORDER: [[u8; 32]; 8] = [
    encoding(0x01, [0x00; 30], 0x00),
    encoding(0xec, [0xff; 30], 0x7f),
    encoding(0x00, [0x00; 30], 0x00),
    encoding(0x00, [0x00; 30], 0x80),
    encoding(0x26, EIGHTH, 0x05),
    encoding(0x26, EIGHTH, 0x85),
    encoding(0xc7, OTHER_EIGHTH, 0x7a),
    encoding(0xc7, OTHER_EIGHTH, 0xfa),
];

const EIGHTH: [u8; 30] = [
    0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5, 0xdf,
    0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc,
];

const OTHER_EIGHTH: [u8; 30] = [
    0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20,
    0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03,
];

const fn encoding(first: u8, between: [u8; 30], last: u8) -> [u8; 32] {
    let mut bytes = [last; 32];
    bytes[0] = first;
    let mut k = 0;
    while k < 30 {
        bytes[k + 1] = between[k];
        k += 1;
    }
    bytes
}

/// Whether `key` signed `bytes`. The same answer as `verify_strict`, for keys that are not of small order.
pub(super) fn is_by(key: &VerifyingKey, bytes: &[u8], signature: &[u8; 64]) -> bool {
    let small = signature.first_chunk().is_none_or(|point| SMALL_ORDER.contains(point));
    !small && key.verify(bytes, &Signature::from_bytes(signature)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::{Identity, tagged, unhex};

    /// A key `aB + P`, where `P` has order 8. It is not of small order, so it is read.
    const MIXED: &str = "99555efe5dbf5b50b6fb4d8c38ee05c4ea8a97011c08e11366e8c8c00e8ce5d5";

    /// Signatures under it that `verify` accepts: the signed byte, `R` (each point of small order), and `s`.
    const ACCEPTED_LOOSELY: [(u8, &str, &str); 8] = [
        (
            0,
            "0100000000000000000000000000000000000000000000000000000000000000",
            "e878c55a5146872ef9b80fd4afeb8395bba14dea09d2cc52d73292496e084b07",
        ),
        (
            2,
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
            "7edea13197de3f57d4ecd83e0bc7f5c5a1f5b928fc7bf3cc462993798762bf06",
        ),
        (
            15,
            "0000000000000000000000000000000000000000000000000000000000000080",
            "ff1f142bcac88f474400ffc76008c829be96c0b1440eb29d2fd6e6a14008ae0a",
        ),
        (
            12,
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "4a75058d41ed12b4b33ca4b0c8d5bdeb7d328b76063328c3567bff15088e3503",
        ),
        (
            11,
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "4eabc8a8e4f9061a78cc131882eaf86fe1a76f667a72978126908013f7529b00",
        ),
        (
            1,
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
            "47612082c3c39f5e8f3d8f58d1d182e13e67b560f9f87664fb67a6479aa04101",
        ),
        (
            18,
            "0000000000000000000000000000000000000000000000000000000000000000",
            "13d94ee81bdaa797031d2abee03dafc55abc0719b9a2cf1e664c1e3f1a3be702",
        ),
        (
            5,
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
            "ddcf3c97aa26738f45700a98c5a64ec434266fda70a7a35f69bfb46f533c140c",
        ),
    ];

    /// A signature under it whose `R` is not of small order.
    const ACCEPTED: (u8, &str, &str) = (
        5,
        "3e54c441927f9f0ee5e13e34f0b0404c5043651a8f4b7ef087a1c42262a85d0a",
        "5a1d3898d7471b3627d4bf346c98506ccf35c8ec41e60f3c8bc5fe216d8d9404",
    );

    fn signature((_, point, scalar): (u8, &str, &str)) -> [u8; 64] {
        unhex(&format!("{point}{scalar}")).unwrap()
    }

    fn strictly(key: &VerifyingKey, bytes: &[u8], signature: &[u8; 64]) -> bool {
        key.verify_strict(bytes, &Signature::from_bytes(signature)).is_ok()
    }

    #[test]
    fn points_of_small_order_are_refused_as_verify_strict_does() {
        assert!(SMALL_ORDER.iter().all(|point| VerifyingKey::from_bytes(point).unwrap().is_weak()));
        let key = VerifyingKey::from_bytes(&unhex(MIXED).unwrap()).unwrap();
        assert!(!key.is_weak());
        for vector in ACCEPTED_LOOSELY {
            let (bytes, signature) = (tagged("entry", &[vector.0]), signature(vector));
            assert!(key.verify(&bytes, &Signature::from_bytes(&signature)).is_ok(), "{vector:?}");
            assert!(!strictly(&key, &bytes, &signature) && !is_by(&key, &bytes, &signature), "{vector:?}");
        }
        let (bytes, signature) = (tagged("entry", &[ACCEPTED.0]), signature(ACCEPTED));
        assert!(strictly(&key, &bytes, &signature) && is_by(&key, &bytes, &signature));
    }

    #[test]
    fn a_changed_signature_is_refused_as_verify_strict_does() {
        let identity = Identity::from_secret([1; 32]);
        let (key, bytes) = (identity.public().0, tagged("entry", b"bytes"));
        let good = identity.sign("entry", b"bytes").0;
        assert!(is_by(&key, &bytes, &good) && strictly(&key, &bytes, &good));
        for bit in 0..8 * good.len() {
            let mut other = good;
            other[bit / 8] ^= 1 << (bit % 8);
            assert!(!is_by(&key, &bytes, &other) && !strictly(&key, &bytes, &other), "bit {bit}");
        }
        // `s` plus the order of the group: the other form of the same signature.
        let order = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";
        let order: [u8; 32] = unhex(order).unwrap();
        let (mut other, mut carry) = (good, 0);
        for (byte, more) in other[32..].iter_mut().zip(order) {
            let sum = u16::from(*byte) + u16::from(more) + carry;
            (*byte, carry) = (sum as u8, sum >> 8);
        }
        assert!(!is_by(&key, &bytes, &other) && !strictly(&key, &bytes, &other));
    }
}
