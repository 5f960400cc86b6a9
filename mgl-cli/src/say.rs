//! Messages on standard error, which may be closed, full, or a pipe that nobody reads: that is no reason to panic.

/// As std's, but a line that cannot be written is dropped.
macro_rules! eprintln {
    ($($text:tt)*) => {{
        let _ = std::io::Write::write_fmt(
            &mut std::io::stderr(),
            format_args!("{}\n", format_args!($($text)*)),
        );
    }};
}
