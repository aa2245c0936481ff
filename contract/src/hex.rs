//! Bytes as hexadecimal digits: the form of secrets and tickets in JSON, in headers and on a terminal.

/// Two lower-case digits for each byte.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Exactly `N` bytes, in digits of either case; `None` for any other text.
#[must_use]
pub fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    if digits.len() != 2 * N {
        return None;
    }
    // Not `from_str_radix`, which takes a sign.
    let digit = |digit: u8| char::from(digit).to_digit(16);
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = u8::try_from(digit(pair[0])? * 16 + digit(pair[1])?).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_as_they_were_written_and_nothing_else_is() {
        let bytes: [u8; 16] = std::array::from_fn(|at| at as u8 * 17);
        let text = encode(&bytes);
        assert_eq!(text, "00112233445566778899aabbccddeeff");
        assert_eq!(decode(&text), Some(bytes));
        assert_eq!(decode(&text.to_uppercase()), Some(bytes));
        for bad in
            ["", "0", &text[1..], &format!("{text}00"), &text.replace('f', "g"), &"+0".repeat(16), &"ä".repeat(16)]
        {
            assert_eq!(decode::<16>(bad), None, "{bad}");
        }
    }
}
