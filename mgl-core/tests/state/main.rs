//! Pushed state: what calls make of it, and that it can be said anew.

mod pushed;
