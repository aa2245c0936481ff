//! Packing numbers into as few bits as their range needs. Snapshot bodies are written with it.
//!
//! Bits fill each byte from its lowest end, and a number's lowest bit comes first.

/// Why bytes are not what they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The bytes end before the value does.
    #[error("the bytes end too early")]
    Truncated,
    /// Bytes are left after the value.
    #[error("bytes are left over")]
    Trailing,
    /// A field has a value outside its range.
    #[error("{0} is out of range")]
    OutOfRange(&'static str),
}

/// Writes numbers of given widths.
#[derive(Debug)]
pub struct BitWriter<'a> {
    out: &'a mut Vec<u8>,
    pending: u64,
    pending_bits: u32,
}

impl<'a> BitWriter<'a> {
    /// Appends to `out`.
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out, pending: 0, pending_bits: 0 }
    }

    /// Writes the low `bits` (at most 32) of `value`. Higher bits must be zero.
    pub fn unsigned(&mut self, value: u32, bits: u32) {
        debug_assert!(bits <= 32 && (bits == 32 || value >> bits == 0), "{value} needs more than {bits} bits");
        self.pending |= u64::from(value) << self.pending_bits;
        self.pending_bits += bits;
        while self.pending_bits >= 8 {
            self.out.push(self.pending.to_le_bytes()[0]);
            self.pending >>= 8;
            self.pending_bits -= 8;
        }
    }

    /// Writes a number in two's complement with `bits` bits.
    pub fn signed(&mut self, value: i32, bits: u32) {
        debug_assert!((1..=32).contains(&bits));
        let mask = u32::MAX >> (32 - bits);
        self.unsigned(value.cast_unsigned() & mask, bits);
    }

    /// Writes one bit.
    pub fn flag(&mut self, value: bool) {
        self.unsigned(u32::from(value), 1);
    }

    /// Fills the last byte with zeros.
    pub fn finish(self) {
        if self.pending_bits > 0 {
            self.out.push(self.pending.to_le_bytes()[0]);
        }
    }
}

/// Reads numbers of given widths.
#[derive(Debug)]
pub struct BitReader<'a> {
    bytes: &'a [u8],
    pending: u64,
    pending_bits: u32,
}

impl<'a> BitReader<'a> {
    /// Reads from the start of `bytes`.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, pending: 0, pending_bits: 0 }
    }

    /// Reads a number of `bits` (at most 32) bits.
    ///
    /// # Errors
    /// When the bytes end.
    pub fn unsigned(&mut self, bits: u32) -> Result<u32, DecodeError> {
        debug_assert!(bits <= 32);
        while self.pending_bits < bits {
            let (first, rest) = self.bytes.split_first().ok_or(DecodeError::Truncated)?;
            self.pending |= u64::from(*first) << self.pending_bits;
            self.pending_bits += 8;
            self.bytes = rest;
        }
        let mask = (1_u64 << bits) - 1;
        #[expect(clippy::cast_possible_truncation, reason = "the mask keeps at most 32 bits")]
        let value = (self.pending & mask) as u32;
        self.pending >>= bits;
        self.pending_bits -= bits;
        Ok(value)
    }

    /// Reads a two's complement number of `bits` (1 to 32) bits.
    ///
    /// # Errors
    /// When the bytes end.
    pub fn signed(&mut self, bits: u32) -> Result<i32, DecodeError> {
        let unused = 32 - bits;
        Ok((self.unsigned(bits)? << unused).cast_signed() >> unused)
    }

    /// Reads one bit.
    ///
    /// # Errors
    /// When the bytes end.
    pub fn flag(&mut self) -> Result<bool, DecodeError> {
        Ok(self.unsigned(1)? == 1)
    }

    /// Reads a number of `bits` bits into a type it need not fit; `field` names it in the error.
    ///
    /// # Errors
    /// When the bytes end, or the number does not fit.
    pub fn number<T: TryFrom<u32>>(&mut self, bits: u32, field: &'static str) -> Result<T, DecodeError> {
        T::try_from(self.unsigned(bits)?).map_err(|_| DecodeError::OutOfRange(field))
    }

    /// Reads an index of `bits` bits into a list; `field` names it in the error.
    ///
    /// # Errors
    /// When the bytes end, or the list does.
    pub fn pick<T: Copy>(&mut self, list: &[T], bits: u32, field: &'static str) -> Result<T, DecodeError> {
        list.get(self.unsigned(bits)? as usize).copied().ok_or(DecodeError::OutOfRange(field))
    }

    /// Checks that only the zero bits of the last byte are left.
    ///
    /// # Errors
    /// When more is left.
    pub fn finish(self) -> Result<(), DecodeError> {
        if self.bytes.is_empty() && self.pending == 0 { Ok(()) } else { Err(DecodeError::Trailing) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(fields in prop::collection::vec((any::<u32>(), 1_u32..=32, any::<bool>()), 0..64)) {
            let mut bytes = Vec::new();
            let mut writer = BitWriter::new(&mut bytes);
            for &(value, bits, signed) in &fields {
                let value = value >> (32 - bits);
                if signed { writer.signed((value << (32 - bits)).cast_signed() >> (32 - bits), bits) } else { writer.unsigned(value, bits) }
            }
            writer.finish();
            let mut reader = BitReader::new(&bytes);
            for &(value, bits, signed) in &fields {
                let value = value >> (32 - bits);
                if signed {
                    prop_assert_eq!(reader.signed(bits), Ok((value << (32 - bits)).cast_signed() >> (32 - bits)));
                } else {
                    prop_assert_eq!(reader.unsigned(bits), Ok(value));
                }
            }
            prop_assert_eq!(reader.finish(), Ok(()));
        }
    }

    #[test]
    fn short_and_long_bytes_are_errors() {
        assert_eq!(BitReader::new(&[1]).unsigned(9), Err(DecodeError::Truncated));
        let mut reader = BitReader::new(&[0, 0]);
        reader.unsigned(8).expect("enough");
        assert_eq!(reader.finish(), Err(DecodeError::Trailing));
    }
}
