//! Checks of the tracker against itself (`MGL_CHECK=repush`).

use super::repush::full_repush;
use crate::driver::Driver;
use mgl_core::pipe::{PushedState, absorb};

/// Runs the checks that were asked for, at a Present.
pub fn at_present(d: &mut Driver) {
    if !d.pipe.as_ref().is_some_and(|p| p.config.check_repush) {
        return;
    }
    let found = repush_difference(d);
    let Some(pipe) = d.pipe.as_mut() else { return };
    pipe.checks.repush += 1;
    if let Some(text) = found {
        pipe.checks.repush_differences += 1;
        if pipe.checks.first_difference.is_none() {
            eprintln!(
                "mgl: check: full_repush differs after frame {}: {text}",
                pipe.presents()
            );
            pipe.checks.first_difference = Some(text);
        }
    }
}

/// Feeds a fresh state by [`full_repush`] and compares it with the live one: the first difference, in words.
pub fn repush_difference(d: &mut Driver) -> Option<String> {
    let live = d.pipe.as_mut()?.at_server(|server| server.state.clone())?;
    let mut fresh = PushedState {
        epoch: live.epoch,
        ..PushedState::default()
    };
    let mut refused = None;
    full_repush(d, &live, &mut |call| {
        if let Err(e) = absorb(&mut fresh, &call) {
            refused.get_or_insert_with(|| e.to_string());
        }
    });
    if refused.is_some() {
        return refused;
    }
    first_difference(&live, &fresh)
}

/// Which part of two states differs, in words; `None` when they are equal.
fn first_difference(live: &PushedState, fresh: &PushedState) -> Option<String> {
    macro_rules! table {
        ($($field:ident),*) => { $(
            if live.$field != fresh.$field {
                let text = |s: &PushedState| -> Vec<String> { s.$field.iter().map(|(h, v)| format!("{h:?} {v:?}")).collect() };
                let (a, b) = (text(live), text(fresh));
                let only = |x: &[String], y: &[String]| x.iter().find(|l| !y.contains(l)).cloned().unwrap_or_else(|| "nothing".into());
                return Some(format!("{}: live has {}, fresh has {}", stringify!($field), only(&a, &b), only(&b, &a)));
            }
        )* };
    }
    table!(
        buffers,
        textures,
        renderbuffers,
        render_states,
        vertex_elements,
        samplers,
        views,
        programs,
        fences,
        queries,
        surfaces
    );
    for (h, c) in live.contexts.iter() {
        let Ok(f) = fresh.contexts.get(h) else {
            return Some(format!("context {h:?} is missing"));
        };
        if c.pushed_mask() != f.pushed_mask() {
            return Some(format!(
                "context {h:?}: groups {:#x} against {:#x}",
                c.pushed_mask(),
                f.pushed_mask()
            ));
        }
        if c.desc != f.desc {
            return Some(format!("context {h:?}: {:?} against {:?}", c.desc, f.desc));
        }
        if c.values != f.values {
            let value = |v| serde_json::to_value(v).unwrap_or_default();
            let (a, b) = (value(&c.values), value(&f.values));
            let name = a
                .as_object()
                .into_iter()
                .flatten()
                .find(|(k, v)| b.get(k.as_str()) != Some(v));
            return Some(match name {
                Some((k, v)) => format!(
                    "context {h:?}: {k}: live {v}, fresh {}",
                    b.get(k.as_str()).unwrap_or_default()
                ),
                None => format!("context {h:?}: values differ"),
            });
        }
    }
    (live != fresh).then(|| "current context or epoch".to_owned())
}
