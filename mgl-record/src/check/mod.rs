//! Checks of the driver against itself (`MGL_CHECK=repush`): the only code beside the pipe that looks at both of its ends.
//!
//! At every Present the server's state, with content from the client's shadows and, of what only the GPU has, from the
//! server itself, is emitted into a fresh server that keeps content. That one is compared with the live server: state
//! object by object, and what the shadows gave with what is read back. So a shadow that is out of date without the client
//! knowing is found out, and so is an object that the server has and the client has forgotten.

mod client;
mod forgotten;

use crate::driver::Driver;
use client::Client;
use mgl_core::pipe::emission::{
    KeepingBackend, content_difference, emit, first_difference, spare_handles,
};
use mgl_core::pipe::{Call, Server};
use std::collections::BTreeMap;

/// What the checks found.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Checks {
    /// Comparisons of an emitted state with the live one.
    pub repush: u64,
    /// Those that found a difference.
    pub repush_differences: u64,
    /// The first difference, in words.
    pub first_difference: Option<String>,
    /// Bytes of content that shadows gave and that were compared with what the server has.
    pub compared_bytes: u64,
    /// Content that could not be emitted or compared, with how often.
    pub left_out: BTreeMap<String, u64>,
}

/// Runs the checks that were asked for, at a Present.
pub fn at_present(d: &mut Driver) {
    if !d.pipe.as_ref().is_some_and(|p| p.config.check_repush) {
        return;
    }
    let found = difference(d);
    let Some(pipe) = d.pipe.as_mut() else { return };
    pipe.checks.repush += 1;
    if let Some(text) = found {
        pipe.checks.repush_differences += 1;
        if pipe.checks.first_difference.is_none() {
            eprintln!(
                "mgl: check: what is emitted differs after frame {}: {text}",
                pipe.presents()
            );
            pipe.checks.first_difference = Some(text);
        }
    }
}

/// The first difference between the live server and one that all was emitted into, in words.
pub fn difference(d: &mut Driver) -> Option<String> {
    let pipe = d.pipe.as_mut()?;
    let live = pipe.at_server(|server| server.state.clone())?;
    if let Some(text) = forgotten::first(&live, pipe) {
        return Some(text);
    }
    let mut fresh: Server<Box<KeepingBackend>> = Server::new(Box::default());
    let mut client = Client::new(&d.shares, pipe);
    let mut spare = spare_handles(&live);
    let mut sink = |call: &Call<'_>| fresh.apply(call).map(|_| ());
    let emission = match emit(&live, &mut client, &mut spare, &mut sink) {
        Ok(emission) => emission,
        Err(e) => return Some(e.to_string()),
    };
    let found = client
        .stranger()
        .or_else(|| first_difference(&live, &fresh.state))
        .or_else(|| {
            client.compare();
            content_difference(&live, &mut client, &fresh.backend)
        });
    let (compared, unread) = client.compared();
    let checks = &mut pipe.checks;
    checks.compared_bytes += compared;
    for (what, times) in emission.left_out.into_iter().chain(unread) {
        *checks.left_out.entry(what).or_insert(0) += times;
    }
    found
}
