//! What may be shown: boxes and other characters beyond ASCII, where there is a terminal that shows them.

use std::io::IsTerminal;

/// Whether a stream is a terminal, and the language settings say UTF-8.
pub fn shows_unicode(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && is_utf8(|name| std::env::var_os(name))
}

/// As the C library decides: the first of these variables that is not empty counts.
fn is_utf8(variable: impl Fn(&str) -> Option<std::ffi::OsString>) -> bool {
    ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .filter_map(|name| variable(name))
        .find(|value| !value.is_empty())
        .is_some_and(|value| {
            let value = value.to_string_lossy().to_ascii_lowercase();
            value.contains("utf-8") || value.contains("utf8")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_that_is_set_decides() {
        let with = |set: &[(&str, &str)]| {
            is_utf8(|name| {
                let found = set.iter().find(|(n, _)| *n == name)?;
                Some(found.1.into())
            })
        };
        assert!(with(&[("LANG", "C.UTF-8")]));
        assert!(with(&[("LC_ALL", ""), ("LANG", "de_DE.utf8")]));
        assert!(!with(&[("LC_ALL", "C"), ("LANG", "C.UTF-8")]));
        assert!(!with(&[]));
    }
}
