//! `state.mglstate`: eight bytes that name the format and its version, then the log (postcard, zstd).

use super::StateError;
use super::log::StateLog;

/// First bytes of a file; the last two are the version.
const MAGIC: &[u8; 8] = b"mglsta01";
/// Most bytes that a log may unpack to.
const MAX_BYTES: u64 = 4 << 30;
/// zstd's level: logs are written rarely and kept in repositories.
const LEVEL: i32 = 15;

impl StateLog {
    /// The file's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let plain = postcard::to_stdvec(self).expect("a log has no failing serialisers");
        let packed = zstd::encode_all(&plain[..], LEVEL).expect("memory takes every write");
        [MAGIC, &(plain.len() as u64).to_le_bytes(), &packed[..]].concat()
    }

    /// A log from a file's bytes.
    ///
    /// # Errors
    /// [`StateError::Format`].
    pub fn decode(bytes: &[u8]) -> Result<Self, StateError> {
        let wrong = |what: &str| StateError::Format(what.to_owned());
        let rest = match bytes.strip_prefix(MAGIC) {
            Some(rest) => rest,
            None if bytes.starts_with(&MAGIC[..6]) => {
                return Err(wrong(
                    "it is of another version; make it anew with `mgl verify --update`",
                ));
            }
            None => return Err(wrong("it does not start as one does")),
        };
        let (size, packed) = rest
            .split_first_chunk::<8>()
            .ok_or_else(|| wrong("it is cut off"))?;
        let size = u64::from_le_bytes(*size);
        if size > MAX_BYTES {
            return Err(StateError::Format(format!("{size} bytes are too many")));
        }
        let plain = unpack(packed, size).map_err(|e| StateError::Format(e.to_string()))?;
        if plain.len() as u64 != size {
            return Err(wrong("it is cut off"));
        }
        let log: Self =
            postcard::from_bytes(&plain).map_err(|e| StateError::Format(e.to_string()))?;
        if !log.is_consistent() {
            return Err(wrong("it names what it does not hold"));
        }
        Ok(log)
    }
}

/// Unpacks at most `size` bytes; memory grows with what is really there.
fn unpack(packed: &[u8], size: u64) -> std::io::Result<Vec<u8>> {
    use std::io::Read;
    let mut plain = Vec::new();
    zstd::Decoder::new(packed)?
        .take(size + 1)
        .read_to_end(&mut plain)?;
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_survives_and_damage_is_told() {
        let log = StateLog {
            texts: vec!["RenderState.blend".to_owned()],
            ..StateLog::default()
        };
        let bytes = log.encode();
        assert_eq!(StateLog::decode(&bytes).expect("its own bytes"), log);
        for end in 0..bytes.len() {
            assert!(StateLog::decode(&bytes[..end]).is_err(), "cut at {end}");
        }
        let mut other = bytes.clone();
        other[7] = b'9';
        let error = StateLog::decode(&other).expect_err("another version");
        assert!(error.to_string().contains("version"), "{error}");
        let mut huge = bytes;
        huge[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(StateLog::decode(&huge).is_err());
    }
}
