//! A call as a JSON object and back.
//!
//! Payload fields, blobs and tails stand side by side under their names, next to `op`. SetDynamicState shows its words
//! as the named chunks that they are. For writing by hand: a field that is missing is zero, and `"from": "initial"` in
//! CreateRenderState and SetDynamicState makes it GL's initial value instead.

use crate::codec;
use crate::pipe::calls::with_catalogue;
use crate::pipe::payload::*;
use crate::pipe::render_state::{
    DYNAMIC_CHUNKS, DepthBias, MAX_VIEWPORTS, MultisampleDynamic, OutputDynamic, RasterDynamic,
    Scissor, StencilDynamic, Viewport,
};
use crate::pipe::{Call, DynamicState, Op, PipelineState};
use crate::pod::F32;
use bytemuck::Zeroable;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// What is wrong with a record's text: a field, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    /// Path of the field.
    pub field: String,
    /// What is wrong.
    pub problem: String,
}

impl Problem {
    pub fn new(field: impl Into<String>, problem: impl std::fmt::Display) -> Self {
        Self {
            field: field.into(),
            problem: problem.to_string(),
        }
    }
}

/// Shows a blob: by name of the blob's field, its bytes. `None` leaves the key out.
pub(super) type ShowBlob<'s> = dyn FnMut(&'static str, &[u8]) -> Option<Value> + 's;
/// Reads a blob.
pub(super) type ReadBlob<'s> = dyn FnMut(&Value) -> Result<Vec<u8>, String> + 's;

/// How much a text shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// Everything.
    Full,
    /// Fields that are zero are left out.
    Short,
}

fn value<T: Serialize>(v: &T) -> Value {
    serde_json::to_value(v).expect("plain data always has a JSON form")
}

/// Whether two values are the same text. `Value`'s own comparison takes 0 and -0 for equal.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.to_string() == b.to_string(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(k, v)| b.get(k).is_some_and(|w| same(v, w)))
        }
        _ => a == b,
    }
}

/// Takes out of `v` what is the same in `zero`.
fn prune(v: &mut Value, zero: &Value) {
    match (v, zero) {
        (Value::Object(v), Value::Object(zero)) => {
            // A handle is clearer whole.
            if v.len() == 2 && v.contains_key("slot") && v.contains_key("generation") {
                return;
            }
            v.retain(|k, v| {
                let Some(z) = zero.get(k) else { return true };
                let keep = !same(v, z);
                if keep {
                    prune(v, z);
                }
                keep
            });
        }
        (Value::Array(v), Value::Array(zero)) => {
            for (v, z) in v.iter_mut().zip(zero) {
                prune(v, z);
            }
        }
        _ => {}
    }
}

fn shown<T: Serialize + Zeroable>(v: &T, detail: Detail) -> Value {
    let mut out = value(v);
    if detail == Detail::Short {
        prune(&mut out, &value(&T::zeroed()));
    }
    out
}

fn add(out: &mut Map<String, Value>, v: Value) {
    if let Value::Object(m) = v {
        out.extend(m);
    }
}

/// Reads a value; the error names the field below `field`.
fn parse<T: DeserializeOwned>(field: &str, v: Value) -> Result<T, Problem> {
    serde_path_to_error::deserialize(v).map_err(|e| {
        let path = e.path().to_string();
        let path = match (field, path.as_str()) {
            (f, ".") => f.to_owned(),
            ("", p) => p.to_owned(),
            (f, p) if p.starts_with('[') => format!("{f}{p}"),
            (f, p) => format!("{f}.{p}"),
        };
        Problem::new(path, e.inner())
    })
}

/// The chunks of the dynamic state with their types.
macro_rules! chunks {
    ($( $index:literal $name:literal $ty:ty; )*) => {
        fn show_chunk(index: usize, bytes: &[u8], detail: Detail) -> Value {
            match index {
                $( $index => shown(&bytemuck::pod_read_unaligned::<$ty>(bytes), detail), )*
                _ => Value::Null,
            }
        }
        fn read_chunk(index: usize, v: Value, words: &mut Vec<u32>) -> Result<(), Problem> {
            match index {
                $( $index => {
                    let chunk: $ty = parse($name, v)?;
                    words.extend_from_slice(bytemuck::cast_slice(bytemuck::bytes_of(&chunk)));
                } )*
                _ => {}
            }
            Ok(())
        }
        $( const _: () = assert!(size_of::<$ty>() == DYNAMIC_CHUNKS[$index].size, $name); )*
        #[cfg(test)]
        const CHUNK_NAMES: &[&str] = &[ $( $name ),* ];
    };
}
chunks! {
    0 "viewport0" Viewport;
    1 "viewports" [Viewport; MAX_VIEWPORTS - 1];
    2 "scissor0" Scissor;
    3 "scissors" [Scissor; MAX_VIEWPORTS - 1];
    4 "blend_color" [F32; 4];
    5 "stencil" [StencilDynamic; 2];
    6 "raster" RasterDynamic;
    7 "depth_bias" DepthBias;
    8 "multisample" MultisampleDynamic;
    9 "output" OutputDynamic;
}

fn show_dynamic(mask: u32, words: &[u32], detail: Detail, out: &mut Map<String, Value>) {
    let mut at = 0;
    for (i, c) in DYNAMIC_CHUNKS.iter().enumerate() {
        if mask >> i & 1 != 0 {
            let Some(part) = words.get(at..at + c.size / 4) else {
                return;
            };
            out.insert(
                c.name.into(),
                show_chunk(i, bytemuck::cast_slice(part), detail),
            );
            at += c.size / 4;
        }
    }
}

/// Turns named chunks into `chunks` and `words`. Those two may also be given as they are.
fn read_dynamic(m: &mut Map<String, Value>) -> Result<(), Problem> {
    if m.contains_key("words") || m.contains_key("chunks") {
        return Ok(());
    }
    let mut all = Map::new();
    if take_initial(m)? {
        let (mut words, initial) = (Vec::new(), DynamicState::initial());
        initial.gather(crate::pipe::render_state::ALL_CHUNKS, &mut words);
        show_dynamic(
            crate::pipe::render_state::ALL_CHUNKS,
            &words,
            Detail::Full,
            &mut all,
        );
    }
    let (mut mask, mut words) = (0u32, Vec::new());
    for (i, c) in DYNAMIC_CHUNKS.iter().enumerate() {
        let chunk = match (all.remove(c.name), m.remove(c.name)) {
            (None, None) => continue,
            (Some(v), None) | (None, Some(v)) => v,
            (Some(mut v), Some(over)) => {
                merge(&mut v, over);
                v
            }
        };
        read_chunk(i, chunk, &mut words)?;
        mask |= 1 << i;
    }
    m.insert("chunks".into(), mask.into());
    m.insert("words".into(), words.into());
    Ok(())
}

/// Fills up the pipeline part with initial values where that is asked for.
fn read_pipeline(m: &mut Map<String, Value>) -> Result<(), Problem> {
    if take_initial(m)? {
        let mut state = value(&PipelineState::initial());
        merge(&mut state, m.remove("state").unwrap_or(json!({})));
        m.insert("state".into(), state);
    }
    Ok(())
}

/// Takes `"from": "initial"` out.
fn take_initial(m: &mut Map<String, Value>) -> Result<bool, Problem> {
    match m.remove("from") {
        None => Ok(false),
        Some(Value::String(s)) if s == "initial" => Ok(true),
        Some(v) => Err(Problem::new("from", format!("{v} is not \"initial\""))),
    }
}

/// Writes `over` over `v`, key by key and, in arrays of one length, element by element.
fn merge(v: &mut Value, over: Value) {
    match (v, over) {
        (Value::Object(v), Value::Object(over)) => {
            for (k, o) in over {
                match v.get_mut(&k) {
                    Some(v) => merge(v, o),
                    None => drop(v.insert(k, o)),
                }
            }
        }
        (Value::Array(v), Value::Array(over)) if v.len() == over.len() => {
            for (v, o) in v.iter_mut().zip(over) {
                merge(v, o);
            }
        }
        (v, over) => *v = over,
    }
}

macro_rules! text {
    ($( $name:ident($payload:ty) blobs[$($blob:ident)*] tails[$($tail:ident: $elem:ty),*]; )*) => {
        /// A call as an object.
        pub(super) fn show(call: &Call<'_>, detail: Detail, blob: &mut ShowBlob<'_>) -> Map<String, Value> {
            let mut out = Map::new();
            out.insert("op".into(), call.op().name().into());
            if let Call::SetDynamicState { p, words } = *call {
                show_dynamic(p.chunks, words, detail, &mut out);
                return out;
            }
            match *call {
                $( Call::$name { p, $( $blob, )* $( $tail, )* } => {
                    add(&mut out, shown(p, detail));
                    $( if let Some(v) = blob(stringify!($blob), $blob) { out.insert(stringify!($blob).into(), v); } )*
                    $( if detail == Detail::Full || !$tail.is_empty() {
                        let list: Vec<Value> = $tail.iter().map(|v| shown(v, detail)).collect();
                        out.insert(stringify!($tail).into(), list.into());
                    } )*
                } )*
            }
            out
        }

        /// Visits the bytes of a call's blobs, in order.
        pub(super) fn visit_blobs(call: &Call<'_>, visit: &mut dyn FnMut(&[u8])) {
            match *call { $( Call::$name { $( $blob, )* .. } => {
                let _ = &visit;
                $( visit($blob); )*
            } )* }
        }

        /// Hands the call that an object describes to `f`. `m` is without what is no part of the call, `op` included.
        pub(super) fn read<R>(
            op: Op,
            mut m: Map<String, Value>,
            blob: &mut ReadBlob<'_>,
            f: impl FnOnce(&Call<'_>) -> R,
        ) -> Result<R, Problem> {
            match op {
                Op::SetDynamicState => read_dynamic(&mut m)?,
                Op::CreateRenderState => read_pipeline(&mut m)?,
                _ => {}
            }
            match op { $( Op::$name => {
                $( let $blob: Vec<u8> = match m.remove(stringify!($blob)) {
                    Some(v) => blob(&v).map_err(|e| Problem::new(stringify!($blob), e))?,
                    None => Vec::new(),
                }; )*
                $( let $tail: Vec<$elem> = match m.remove(stringify!($tail)) {
                    Some(v) => parse(stringify!($tail), v)?,
                    None => Vec::new(),
                }; )*
                let p: $payload = parse("", Value::Object(m))?;
                let call = Call::$name { p: &p, $( $blob: &$blob, )* $( $tail: &$tail, )* };
                codec::check(&call).map_err(|e| match e {
                    codec::DecodeError::Field { error, .. } => Problem::new(error.field, error.problem),
                    e => Problem::new("", e),
                })?;
                Ok(f(&call))
            } )* }
        }
    };
}
with_catalogue!(text);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipe::calls::CATALOGUE;

    #[test]
    fn chunk_names_are_the_tables() {
        let names: Vec<&str> = DYNAMIC_CHUNKS.iter().map(|c| c.name).collect();
        assert_eq!(CHUNK_NAMES, names);
    }

    #[test]
    fn names_side_by_side_do_not_clash() {
        for c in CATALOGUE {
            let mut names = vec!["op", "verb", "reply", "from"];
            names.extend(c.fields.iter().filter(|f| f.ty != "pad").map(|f| f.name));
            names.extend(c.blobs);
            names.extend(c.tails.iter().map(|t| t.0));
            let n = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), n, "{}", c.name);
        }
    }

    fn from_text(op: Op, v: Value) -> Result<String, Problem> {
        let Value::Object(m) = v else {
            return Err(Problem::new("", "no object"));
        };
        read(op, m, &mut |_| Ok(Vec::new()), |c| format!("{c:?}"))
    }

    #[test]
    fn what_is_missing_is_zero_and_wrong_fields_are_named() {
        let ok =
            from_text(Op::Clear, json!({"buffers": "COLOR0|DEPTH", "depth": 1})).expect("reads");
        assert!(
            ok.contains("depth: 1.0") && ok.contains("stencil: 0"),
            "{ok}"
        );
        for (op, v, field, problem) in [
            (Op::Clear, json!({"colour": 1}), "colour", "unknown field"),
            (
                Op::Clear,
                json!({"color": [1, 2]}),
                "color",
                "array of length 4",
            ),
            (
                Op::Clear,
                json!({"buffers": "COLOUR"}),
                "buffers",
                "is not a BufferMask",
            ),
            (
                Op::SetFramebufferState,
                json!({"depth": {"resource": {"kind": "GL_CUP"}}}),
                "depth.resource.kind",
                "'GL_CUP' is not a HandleKind",
            ),
            (
                Op::DrawVbo,
                json!({"index_size": 3}),
                "index_size",
                "3 is not 0, 1, 2 or 4",
            ),
            (
                Op::DrawVbo,
                json!({"ranges": [{}, {"count": -1}]}),
                "ranges[1].count",
                "invalid value",
            ),
            (
                Op::SetVertexBuffers,
                json!({"buffers": [{}, {"binding": 32}]}),
                "buffers[1].binding",
                "32 is not below 32",
            ),
            (
                Op::SetDynamicState,
                json!({"raster": {"clip_origin": 5}}),
                "raster",
                "is not a",
            ),
            (
                Op::CreateRenderState,
                json!({"from": "zero"}),
                "from",
                "not \"initial\"",
            ),
        ] {
            let e = from_text(op, v.clone()).expect_err("is refused");
            assert!(
                e.field.starts_with(field) && e.problem.contains(problem),
                "{v}: {e:?}"
            );
        }
    }

    #[test]
    fn initial_values_can_be_asked_for() {
        let t = from_text(
            Op::SetDynamicState,
            json!({"from": "initial", "raster": {"line_width": 2.5}}),
        )
        .expect("reads");
        let m = crate::pipe::render_state::ALL_CHUNKS;
        assert!(t.contains(&format!("chunks: {m}")), "{t}");
        let t = from_text(
            Op::CreateRenderState,
            json!({"from": "initial", "state": {"depth_test": true}}),
        )
        .expect("reads");
        assert!(
            t.contains("depth_test: true") && t.contains("GL_FUNC_ADD"),
            "{t}"
        );
    }

    #[test]
    fn minus_zero_and_nan_survive_pruning() {
        let p = Clear {
            depth: F32(-0.0),
            ..Clear::default()
        };
        let m = show(&Call::Clear { p: &p }, Detail::Short, &mut |_, _| None);
        assert_eq!(
            Value::Object(m).to_string(),
            r#"{"op":"Clear","depth":-0.0}"#
        );
        let p = Clear {
            depth: F32(f32::from_bits(0x7fc0_0001)),
            ..Clear::default()
        };
        let m = show(&Call::Clear { p: &p }, Detail::Short, &mut |_, _| None);
        let back = from_text(Op::Clear, json!({"depth": m["depth"]})).expect("reads");
        assert!(back.contains("NaN"));
    }
}
