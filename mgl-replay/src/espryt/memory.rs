//! Byte vectors whose size comes from outside: running out of memory is an answer, not an abort.

use mgl_core::pipe::BackendError;
use mgl_core::pipe::limits::MAX_IMAGE_BYTES;

/// `size` zeros.
///
/// # Errors
///
/// [`BackendError::OutOfMemory`], also for what no image can hold.
pub fn zeros(size: usize) -> Result<Vec<u8>, BackendError> {
    let mut all = reserve(size)?;
    all.resize(size, 0);
    Ok(all)
}

/// An empty vector with room for `size` bytes.
///
/// # Errors
///
/// As [`zeros`].
pub fn reserve(size: usize) -> Result<Vec<u8>, BackendError> {
    let refuse = || BackendError::OutOfMemory(format!("{size} bytes"));
    if size as u64 > MAX_IMAGE_BYTES.saturating_mul(2) {
        return Err(refuse());
    }
    let mut all = Vec::new();
    all.try_reserve_exact(size).map_err(|_| refuse())?;
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_much_is_refused_by_name() {
        assert_eq!(zeros(3), Ok(vec![0; 3]));
        let e = zeros(usize::MAX / 2).expect_err("refused");
        assert!(matches!(e, BackendError::OutOfMemory(_)), "{e}");
    }
}
