//! Bytes in the text form.
//!
//! Written: nothing for no bytes, `{"text": "…"}` where a call's blob is text, `{"hex": "…"}` up to 64 bytes,
//! `{"blob": NAME}` with the bytes in the document's table otherwise. Read: those, and `{"base64": "…"}`, and
//! `{"fill": BYTE, "size": N}`, which is handy by hand.

use serde_json::{Map, Value, json};
use xxhash_rust::xxh3::xxh3_128;

/// Longest bytes that are written in place.
pub(super) const IN_PLACE: usize = 64;
/// Longest `fill`.
const MAX_FILL: u64 = 64 << 20;

/// Hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut s, b| {
        let _ = write!(s, "{b:02x}");
        s
    })
}

fn from_hex(text: &str) -> Result<Vec<u8>, String> {
    let digits: Vec<u8> = text
        .bytes()
        .filter(|b| !b.is_ascii_whitespace())
        .map(|b| {
            (b as char)
                .to_digit(16)
                .map(|d| d as u8)
                .ok_or_else(|| format!("'{}' is no hexadecimal digit", b as char))
        })
        .collect::<Result<_, _>>()?;
    if !digits.len().is_multiple_of(2) {
        return Err("an odd number of hexadecimal digits".into());
    }
    Ok(digits.chunks(2).map(|d| d[0] << 4 | d[1]).collect())
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 (RFC 4648 section 4, padded).
pub(super) fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for c in bytes.chunks(3) {
        let v = c
            .iter()
            .enumerate()
            .fold(0u32, |v, (i, b)| v | u32::from(*b) << (16 - 8 * i));
        for i in 0..4 {
            if i <= c.len() {
                out.push(ALPHABET[(v >> (18 - 6 * i) & 63) as usize] as char);
            } else {
                out.push('=');
            }
        }
    }
    out
}

fn from_base64(text: &str) -> Result<Vec<u8>, String> {
    let bytes: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    if !bytes.len().is_multiple_of(4) {
        return Err("base64 whose length is no multiple of four".into());
    }
    let padding = bytes.iter().rev().take_while(|b| **b == b'=').count();
    if padding > 2 {
        return Err("base64 with too much padding".into());
    }
    let mut out = Vec::with_capacity(bytes.len() / 4 * 3);
    let digits = &bytes[..bytes.len() - padding];
    for c in digits.chunks(4) {
        let mut v = 0u32;
        for (i, b) in c.iter().enumerate() {
            let d = match b {
                b'A'..=b'Z' => b - b'A',
                b'a'..=b'z' => b - b'a' + 26,
                b'0'..=b'9' => b - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return Err(format!("'{}' is no base64 digit", *b as char)),
            };
            v |= u32::from(d) << (18 - 6 * i);
        }
        let n = c.len() - 1;
        let all = v.to_be_bytes();
        // Bits beyond the last byte would be lost: then two texts would mean the same bytes.
        if all[1 + n..].iter().any(|b| *b != 0) {
            return Err("base64 with bits beyond its last byte".into());
        }
        out.extend_from_slice(&all[1..1 + n]);
    }
    Ok(out)
}

/// Bytes written in place.
pub(super) fn in_place(bytes: &[u8]) -> Value {
    if bytes.len() <= IN_PLACE {
        json!({"hex": hex(bytes)})
    } else {
        json!({"base64": base64(bytes)})
    }
}

/// Text written as text, if the bytes are readable text.
pub(super) fn as_text(bytes: &[u8]) -> Option<Value> {
    std::str::from_utf8(bytes)
        .ok()
        .filter(|t| !t.is_empty() && !t.chars().any(char::is_control))
        .map(|t| json!({"text": t}))
}

/// What is shown of a call's blob for reading: text as it is, of other bytes their number and content hash. Text with
/// control characters has both, as these are written as escapes.
pub(super) fn digest(name: &str, bytes: &[u8]) -> Value {
    let is_text = matches!(name, "label" | "text");
    if let Some(text) = is_text.then(|| as_text(bytes)).flatten() {
        return text;
    }
    let mut out = json!({"size": bytes.len(), "xxh3": format!("{:032x}", xxh3_128(bytes))});
    if is_text && !bytes.is_empty() {
        let lossy = String::from_utf8_lossy(bytes);
        let text = lossy.chars().map(|c| match c.is_control() {
            true => c.escape_default().to_string(),
            false => c.to_string(),
        });
        out["text"] = json!(text.collect::<String>());
    }
    out
}

/// Bytes of any form; `table` finds the document's named ones.
pub(super) fn read(
    value: &Value,
    table: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> Result<Vec<u8>, String> {
    let Value::Object(m) = value else {
        return Err("bytes are an object: hex, text, base64, fill and size, or blob".into());
    };
    let one = |m: &Map<String, Value>| {
        (m.len() == 1)
            .then(|| m.iter().next())
            .flatten()
            .map(|(k, v)| (k.clone(), v.clone()))
    };
    match one(m) {
        Some((k, Value::String(t))) if k == "hex" => from_hex(&t),
        Some((k, Value::String(t))) if k == "base64" => from_base64(&t),
        Some((k, Value::String(t))) if k == "text" => Ok(t.into_bytes()),
        Some((k, Value::String(t))) if k == "blob" => {
            table(&t).ok_or_else(|| format!("the document has no blob '{t}'"))
        }
        _ => fill(m),
    }
}

fn fill(m: &Map<String, Value>) -> Result<Vec<u8>, String> {
    let (Some(byte), Some(size), 2) = (
        m.get("fill").and_then(Value::as_u64),
        m.get("size").and_then(Value::as_u64),
        m.len(),
    ) else {
        return Err("bytes are hex, text, base64, fill and size, or blob".into());
    };
    let byte = u8::try_from(byte).map_err(|_| format!("fill: {byte} is no byte"))?;
    if size > MAX_FILL {
        return Err(format!("size: {size} is above {MAX_FILL}"));
    }
    Ok(vec![byte; size as usize])
}

/// A value of the document's table: base64, or any form but a name.
pub(super) fn read_table(value: &Value) -> Result<Vec<u8>, String> {
    match value {
        Value::String(t) => from_base64(t),
        v => read(v, &|_| None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_follows_the_rfc() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
            assert_eq!(from_base64(text), Ok(bytes.as_bytes().to_vec()));
        }
        for bad in ["Zg=", "Zg", "Zh==", "Z===", "Zm9v!m9v", "Zg==Zg=="] {
            assert!(from_base64(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn text_is_shown_as_text() {
        assert_eq!(digest("label", "hé".as_bytes()), json!({"text": "hé"}));
        assert_eq!(
            digest("text", b"two\nlines\xff")["text"],
            "two\\nlines\u{fffd}"
        );
        assert_ne!(digest("text", b"a\nb"), digest("text", b"a\\nb"));
        assert!(digest("bytes", b"text")["text"].is_null());
        assert_eq!(digest("text", b"")["size"], 0);
    }

    #[test]
    fn all_forms_are_read() {
        let table = |name: &str| (name == "x").then(|| vec![7]);
        let read = |v: Value| read(&v, &table);
        assert_eq!(read(json!({"hex": "00 ff"})), Ok(vec![0, 255]));
        assert_eq!(read(json!({"text": "hé"})), Ok("hé".as_bytes().to_vec()));
        assert_eq!(read(json!({"base64": "Zg=="})), Ok(b"f".to_vec()));
        assert_eq!(read(json!({"blob": "x"})), Ok(vec![7]));
        assert_eq!(read(json!({"fill": 3, "size": 2})), Ok(vec![3, 3]));
        for bad in [
            json!("Zg=="),
            json!({}),
            json!({"hex": "0"}),
            json!({"hex": "0g"}),
            json!({"blob": "y"}),
            json!({"fill": 256, "size": 1}),
            json!({"fill": 1, "size": 1u64 << 40}),
            json!({"hex": "00", "text": "x"}),
        ] {
            assert!(read(bad.clone()).is_err(), "{bad}");
        }
    }
}
