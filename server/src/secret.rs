//! Secrets that stand for a seat.

/// Bytes of a secret: 128 bits of chance.
pub(crate) const SECRET_BYTES: usize = 16;

/// A secret nobody can guess.
pub(crate) fn fresh() -> [u8; SECRET_BYTES] {
    rand::random()
}

/// Compares in a time that does not depend on where the two differ.
pub(crate) fn is_same(one: &[u8; SECRET_BYTES], other: &[u8; SECRET_BYTES]) -> bool {
    let difference = one.iter().zip(other).fold(0, |sum, (a, b)| sum | std::hint::black_box(a ^ b));
    std::hint::black_box(difference) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_counts() {
        let secret = fresh();
        assert!(is_same(&secret, &secret));
        for bit in 0..8 * SECRET_BYTES {
            let mut other = secret;
            other[bit / 8] ^= 1 << (bit % 8);
            assert!(!is_same(&secret, &other));
        }
        assert!(!is_same(&fresh(), &fresh()));
    }
}
