//! `state.mglstate`: eight bytes that name the format and its version, then the log (postcard, zstd).

use super::StateError;
use super::log::StateLog;
use super::room;

/// First bytes of a file; the last two are the version.
const MAGIC: &[u8; 8] = b"mglsta01";
/// Bytes that every log may unpack to, and how many more for each byte of its file.
const PLAIN: [u64; 2] = [64 << 20, 64];
/// Bytes of memory that the lists of every log may take, and how many more for each byte of its file.
const MEMORY: [u64; 2] = [256 << 20, 256];
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
        let most = |[all, each]: [u64; 2]| all + each * packed.len() as u64;
        if size > most(PLAIN) {
            return Err(StateError::Format(format!(
                "{size} bytes in a file of {} are too many",
                bytes.len()
            )));
        }
        let plain = unpack(packed, size).map_err(|e| StateError::Format(e.to_string()))?;
        if plain.len() as u64 != size {
            return Err(wrong("it is cut off"));
        }
        let room = usize::try_from(most(MEMORY)).unwrap_or(usize::MAX);
        let log: Self = room::within(room, || postcard::from_bytes(&plain))
            .map_err(|e| StateError::Format(format!("damaged, or too large: {e}")))?;
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
    use super::super::log::{Frame, NONE, Step, Value};
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

    /// A file of a plain form.
    fn file(plain: &[u8]) -> Vec<u8> {
        let packed = zstd::encode_all(plain, 3).expect("memory takes every write");
        [MAGIC, &(plain.len() as u64).to_le_bytes(), &packed[..]].concat()
    }

    #[test]
    fn a_small_file_does_not_take_much_memory() {
        // A quarter of a gigabyte of nothing.
        let plain = vec![0; 256 << 20];
        let bytes = file(&plain);
        assert!(bytes.len() < 1 << 18, "{}", bytes.len());
        let error = StateLog::decode(&bytes).expect_err("too large");
        assert!(error.to_string().contains("too many"), "{error}");
        // Texts without a letter: a byte each, and 24 of them in memory.
        let mut plain = vec![0x80, 0x80, 0x80, 0x1e];
        plain.resize(4 + (60 << 20), 0);
        let error = StateLog::decode(&file(&plain)).expect_err("too large");
        assert!(error.to_string().contains("too large"), "{error}");
    }

    #[test]
    fn more_groups_than_there_can_be_are_refused() {
        let texts: Vec<String> = (0..300).map(|n| n.to_string()).collect();
        let mut log = StateLog {
            texts,
            values: vec![Value::default()],
            ..StateLog::default()
        };
        let step = |groups: u32| Step {
            verb: 0,
            call: 0,
            context: NONE,
            objects: Vec::new(),
            groups: (0..groups).map(|n| (n, 0)).collect(),
        };
        let mut decoded = |groups| {
            let steps = vec![step(groups)];
            log.frames = vec![Frame { frame: 0, steps }];
            StateLog::decode(&log.encode())
        };
        assert!(decoded(256).is_ok() && decoded(257).is_err());
    }
}
