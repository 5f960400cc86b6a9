//! Any serialisable value as rows of path and leaf: how pushed state is compared and stored (design: verification 6.2).
//!
//! Enumerations show their names, masks their bits, floats their shortest exact text. A handle is one leaf that keeps its
//! kind, so that handles can be compared up to renaming.

use std::fmt::Display;

use mgl_core::handle::{Handle, HandleKind};
use serde::ser::{self, Serialize};

/// A value without parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// Anything but a handle.
    Text(String),
    /// A handle that is not null.
    Handle(HandleKind, Handle),
}

/// The rows of a value below `prefix`, in the order of its fields.
pub fn rows(prefix: &str, value: &(impl Serialize + ?Sized)) -> Vec<(String, Leaf)> {
    let mut out = Vec::new();
    add_rows(prefix, value, &mut out);
    out
}

/// As [`rows`], behind what `out` holds already.
pub fn add_rows(prefix: &str, value: &(impl Serialize + ?Sized), out: &mut Vec<(String, Leaf)>) {
    let mut flattener = Flattener {
        path: prefix.to_owned(),
        kind: None,
        out,
    };
    value
        .serialize(&mut flattener)
        .expect("plain data serialises");
}

struct Flattener<'o> {
    path: String,
    /// Kind of the handle that comes next, where its type tells it.
    kind: Option<HandleKind>,
    out: &'o mut Vec<(String, Leaf)>,
}

/// What no value of ours gives rise to.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Never(String);

impl ser::Error for Never {
    fn custom<T: Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

/// The kind that a handle type's name tells.
fn kind_of(name: &str) -> Option<HandleKind> {
    Some(match name {
        "BufferHandle" => HandleKind::BUFFER,
        "TextureHandle" => HandleKind::TEXTURE,
        "RenderbufferHandle" => HandleKind::RENDERBUFFER,
        "FramebufferHandle" => HandleKind::FRAMEBUFFER,
        "StreamOutputHandle" => HandleKind::STREAM_OUTPUT,
        "RenderStateHandle" => HandleKind::RENDER_STATE,
        "VertexElementsHandle" => HandleKind::VERTEX_ELEMENTS,
        "SamplerHandle" => HandleKind::SAMPLER,
        "SamplerViewHandle" => HandleKind::SAMPLER_VIEW,
        "ShaderHandle" => HandleKind::SHADER,
        "FenceHandle" => HandleKind::FENCE,
        "QueryHandle" => HandleKind::QUERY,
        "ContextHandle" => HandleKind::CONTEXT,
        "SurfaceHandle" => HandleKind::SURFACE,
        _ => return None,
    })
}

impl Flattener<'_> {
    fn leaf(&mut self, leaf: Leaf) {
        self.out.push((self.path.clone(), leaf));
    }
    fn text(&mut self, text: impl Display) -> Result<(), Never> {
        self.leaf(Leaf::Text(text.to_string()));
        Ok(())
    }
    fn handle(&mut self, kind: HandleKind, handle: Handle) {
        if handle.is_null() {
            self.leaf(Leaf::Text("null".to_owned()));
        } else {
            self.leaf(Leaf::Handle(kind, handle));
        }
    }
    /// Serialises below a field. An empty name adds nothing to the path.
    fn field(&mut self, name: &str, value: &(impl Serialize + ?Sized)) -> Result<(), Never> {
        let length = self.path.len();
        if !name.is_empty() {
            if !self.path.is_empty() {
                self.path.push('.');
            }
            self.path.push_str(name);
        }
        value.serialize(&mut *self)?;
        self.path.truncate(length);
        Ok(())
    }
}

/// A struct, sequence or map that is being flattened.
struct Parts<'f, 'o> {
    to: &'f mut Flattener<'o>,
    /// Elements so far, of sequences.
    index: usize,
    /// Length of the path outside.
    length: usize,
    /// Parts of a handle, which is one leaf.
    handle: Option<Parted>,
    /// The key that comes before its value, of maps.
    key: String,
}

#[derive(Default)]
struct Parted {
    kind: HandleKind,
    handle: Handle,
    /// The struct names its kind itself.
    resource: bool,
}

impl<'o> Flattener<'o> {
    fn parts<'f>(&'f mut self, handle: Option<Parted>) -> Parts<'f, 'o> {
        Parts {
            length: self.path.len(),
            to: self,
            index: 0,
            handle,
            key: String::new(),
        }
    }
}

impl Parts<'_, '_> {
    fn element(&mut self, value: &(impl Serialize + ?Sized)) -> Result<(), Never> {
        use std::fmt::Write;
        let _ = write!(self.to.path, "[{}]", self.index);
        self.index += 1;
        value.serialize(&mut *self.to)?;
        self.to.path.truncate(self.length);
        Ok(())
    }
    fn finish(self) {
        if let Some(Parted { kind, handle, .. }) = self.handle {
            self.to.handle(kind, handle);
        }
    }
}

/// One number of a handle: its slot, its generation or its kind.
fn number(value: &(impl Serialize + ?Sized)) -> Result<u32, Never> {
    let mut rows = Vec::new();
    let mut flattener = Flattener {
        path: String::new(),
        kind: None,
        out: &mut rows,
    };
    value.serialize(&mut flattener)?;
    match rows.first() {
        Some((_, Leaf::Text(text))) => text.parse().map_err(|_| Never(text.clone())),
        _ => Err(Never("no number".to_owned())),
    }
}

impl<'f, 'o> ser::Serializer for &'f mut Flattener<'o> {
    type Ok = ();
    type Error = Never;
    type SerializeSeq = Parts<'f, 'o>;
    type SerializeTuple = Parts<'f, 'o>;
    type SerializeTupleStruct = Parts<'f, 'o>;
    type SerializeTupleVariant = Parts<'f, 'o>;
    type SerializeMap = Parts<'f, 'o>;
    type SerializeStruct = Parts<'f, 'o>;
    type SerializeStructVariant = Parts<'f, 'o>;

    fn serialize_bool(self, v: bool) -> Result<(), Never> {
        self.text(v)
    }
    fn serialize_i8(self, v: i8) -> Result<(), Never> {
        self.text(v)
    }
    fn serialize_i16(self, v: i16) -> Result<(), Never> {
        self.text(v)
    }
    fn serialize_i32(self, v: i32) -> Result<(), Never> {
        self.text(v)
    }
    fn serialize_i64(self, v: i64) -> Result<(), Never> {
        self.text(v)
    }
    fn serialize_u8(self, v: u8) -> Result<(), Never> {
        self.text(v)
    }
    fn serialize_u16(self, v: u16) -> Result<(), Never> {
        self.text(v)
    }
    fn serialize_u32(self, v: u32) -> Result<(), Never> {
        self.text(v)
    }
    fn serialize_u64(self, v: u64) -> Result<(), Never> {
        self.text(v)
    }
    fn serialize_u128(self, v: u128) -> Result<(), Never> {
        // Only digests are that wide.
        self.text(format_args!("{v:032x}"))
    }
    fn serialize_f32(self, v: f32) -> Result<(), Never> {
        self.text(v)
    }
    fn serialize_f64(self, v: f64) -> Result<(), Never> {
        self.text(v)
    }
    fn serialize_char(self, v: char) -> Result<(), Never> {
        self.text(v)
    }
    fn serialize_str(self, v: &str) -> Result<(), Never> {
        self.text(v)
    }
    fn serialize_bytes(self, v: &[u8]) -> Result<(), Never> {
        let text: String = v.iter().map(|b| format!("{b:02x}")).collect();
        self.text(text)
    }
    fn serialize_none(self) -> Result<(), Never> {
        self.text("none")
    }
    fn serialize_some<T: Serialize + ?Sized>(self, v: &T) -> Result<(), Never> {
        v.serialize(self)
    }
    fn serialize_unit(self) -> Result<(), Never> {
        self.text("()")
    }
    fn serialize_unit_struct(self, name: &'static str) -> Result<(), Never> {
        self.text(name)
    }
    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), Never> {
        self.text(variant)
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        v: &T,
    ) -> Result<(), Never> {
        self.kind = kind_of(name);
        v.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        v: &T,
    ) -> Result<(), Never> {
        self.field(variant, v)
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Parts<'f, 'o>, Never> {
        Ok(self.parts(None))
    }
    fn serialize_tuple(self, _: usize) -> Result<Parts<'f, 'o>, Never> {
        Ok(self.parts(None))
    }
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Parts<'f, 'o>, Never> {
        Ok(self.parts(None))
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Parts<'f, 'o>, Never> {
        Ok(self.parts(None))
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Parts<'f, 'o>, Never> {
        Ok(self.parts(None))
    }
    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Parts<'f, 'o>, Never> {
        let handle = match name {
            "Handle" => Some(Parted {
                kind: self.kind.take().unwrap_or_default(),
                ..Parted::default()
            }),
            "ResourceHandle" => Some(Parted {
                resource: true,
                ..Parted::default()
            }),
            _ => None,
        };
        Ok(self.parts(handle))
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Parts<'f, 'o>, Never> {
        Ok(self.parts(None))
    }
}

impl ser::SerializeStruct for Parts<'_, '_> {
    type Ok = ();
    type Error = Never;
    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        v: &T,
    ) -> Result<(), Never> {
        let Some(parted) = &mut self.handle else {
            return self.to.field(key, v);
        };
        match (key, parted.resource) {
            ("slot", false) => parted.handle.slot = number(v)?,
            ("generation", false) => parted.handle.generation = number(v)?,
            ("kind", true) => {
                let name = text(v)?;
                parted.kind = HandleKind::VALUES
                    .iter()
                    .find(|(_, n)| *n == name)
                    .map_or(HandleKind::NONE, |(k, _)| *k);
            }
            ("handle", true) => {
                let mut rows = Vec::new();
                let mut flattener = Flattener {
                    path: String::new(),
                    kind: None,
                    out: &mut rows,
                };
                v.serialize(&mut flattener)?;
                if let Some((_, Leaf::Handle(_, h))) = rows.first() {
                    parted.handle = *h;
                }
            }
            _ => return self.to.field(key, v),
        }
        Ok(())
    }
    fn end(self) -> Result<(), Never> {
        self.finish();
        Ok(())
    }
}

/// The one text of a value.
fn text(value: &(impl Serialize + ?Sized)) -> Result<String, Never> {
    match rows("", value).into_iter().next() {
        Some((_, Leaf::Text(text))) => Ok(text),
        _ => Err(Never("no text".to_owned())),
    }
}

macro_rules! sequences {
    ($($name:ident $method:ident)*) => { $(
        impl ser::$name for Parts<'_, '_> {
            type Ok = ();
            type Error = Never;
            fn $method<T: Serialize + ?Sized>(&mut self, v: &T) -> Result<(), Never> { self.element(v) }
            fn end(self) -> Result<(), Never> { Ok(()) }
        }
    )* };
}
sequences! {
    SerializeSeq serialize_element
    SerializeTuple serialize_element
    SerializeTupleStruct serialize_field
    SerializeTupleVariant serialize_field
}

impl ser::SerializeMap for Parts<'_, '_> {
    type Ok = ();
    type Error = Never;
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Never> {
        self.key = text(key)?;
        Ok(())
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, v: &T) -> Result<(), Never> {
        let key = std::mem::take(&mut self.key);
        self.to.field(&key, v)
    }
    fn end(self) -> Result<(), Never> {
        Ok(())
    }
}

impl ser::SerializeStructVariant for Parts<'_, '_> {
    type Ok = ();
    type Error = Never;
    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        v: &T,
    ) -> Result<(), Never> {
        self.to.field(key, v)
    }
    fn end(self) -> Result<(), Never> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgl_core::format::Format;
    use mgl_core::handle::{BufferHandle, ResourceHandle, TextureHandle};
    use mgl_core::pipe::{Attachment, FramebufferState, Scissor, VertexBuffer};
    use mgl_core::pod::F32;

    fn at<'r>(rows: &'r [(String, Leaf)], path: &str) -> &'r Leaf {
        &rows
            .iter()
            .find(|(p, _)| p == path)
            .unwrap_or_else(|| panic!("no {path} in {rows:?}"))
            .1
    }
    fn text(t: &str) -> Leaf {
        Leaf::Text(t.to_owned())
    }
    const H: Handle = Handle {
        slot: 7,
        generation: 2,
    };

    #[test]
    fn paths_name_fields_and_elements() {
        let mut fb = FramebufferState::default();
        fb.color[3] = Attachment {
            resource: ResourceHandle::of(TextureHandle(H)),
            format: Format::RGBA8,
            ..Attachment::default()
        };
        let rows = rows("DrawFramebuffer", &fb);
        assert_eq!(
            *at(&rows, "DrawFramebuffer.color[3].resource"),
            Leaf::Handle(HandleKind::TEXTURE, H)
        );
        assert_eq!(
            *at(&rows, "DrawFramebuffer.color[3].format"),
            text("GL_RGBA8")
        );
        assert_eq!(
            *at(&rows, "DrawFramebuffer.color[2].resource"),
            text("null")
        );
        assert!(!rows.iter().any(|(p, _)| p.contains("pad")));
    }

    #[test]
    fn handles_are_one_leaf_of_their_kind() {
        let buffer = VertexBuffer {
            buffer: BufferHandle(H),
            stride: 12,
            ..VertexBuffer::default()
        };
        let rows = rows("", &[buffer][..]);
        assert_eq!(
            *at(&rows, "[0].buffer"),
            Leaf::Handle(HandleKind::BUFFER, H)
        );
        assert_eq!(*at(&rows, "[0].stride"), text("12"));
        assert!(!rows.iter().any(|(p, _)| p.contains("slot")));
    }

    #[test]
    fn floats_differ_by_bits() {
        let of = |v: f32| rows("", &F32(v))[0].1.clone();
        assert_eq!(of(0.1), text("0.1"));
        assert_ne!(of(0.0), of(-0.0));
        assert_ne!(of(f32::NAN), of(-f32::NAN));
        assert_ne!(of(1.0), of(f32::from_bits(1.0_f32.to_bits() + 1)));
    }

    #[test]
    fn nested_structs_are_dotted() {
        let rows = rows("scissor", &Scissor::default());
        assert!(
            rows.iter().all(|(p, _)| p.starts_with("scissor.")),
            "{rows:?}"
        );
    }
}
