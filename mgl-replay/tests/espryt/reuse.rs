//! Slots are used again under a new generation.
