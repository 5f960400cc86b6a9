//! How payloads are declared: flat `repr(C)` structs without implicit padding whose size is asserted,
//! whose fields know their legal values, and which describe themselves (design: pipe contract, payload rules).
//!
//! Three macros: [`pod!`] for structs, [`gl_enum!`] for enumerations that carry GL's own values, and
//! [`bit_mask!`] for masks. Everything they declare is plain old data, compares by bits, and reads and writes JSON
//! with names instead of numbers.

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A field of a payload whose value is not allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("field {field}: {problem}")]
pub struct FieldError {
    /// Path of the field inside the payload, e.g. `color[3].format`.
    pub field: String,
    /// What is wrong with it.
    pub problem: String,
}

impl FieldError {
    /// A field error at `field`.
    pub fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            problem: problem.into(),
        }
    }

    /// The same error, seen from the struct that holds the field at `outer`.
    #[must_use]
    pub fn within(mut self, outer: &str) -> Self {
        self.field = match self.field.chars().next() {
            None => outer.to_owned(),
            Some('[') => format!("{outer}{}", self.field),
            Some(_) => format!("{outer}.{}", self.field),
        };
        self
    }
}

/// A type that may stand in a payload.
pub trait Field: Pod {
    /// Name of the type as the schema table shows it.
    const TYPE: &'static str;
    /// How many elements the field has (arrays), 1 otherwise.
    const COUNT: usize = 1;
    /// Whether every bit pattern is legal; then [`Field::check`] need not be called.
    const ANY: bool = false;
    /// The values or bits that have names, of an enumeration or a mask.
    const NAMED: &'static [(&'static str, u32)] = &[];
    /// Refuses values outside the type's range. The error's path starts below this field.
    fn check(&self) -> Result<(), FieldError>;
}

macro_rules! any_field {
    ($($t:ty => $name:literal),* $(,)?) => { $(
        impl Field for $t {
            const TYPE: &'static str = $name;
            const ANY: bool = true;
            fn check(&self) -> Result<(), FieldError> { Ok(()) }
        }
    )* };
}
any_field!(u8 => "u8", u16 => "u16", u32 => "u32", i32 => "i32", u64 => "u64", i64 => "i64");

impl<T: Field, const N: usize> Field for [T; N] {
    const TYPE: &'static str = T::TYPE;
    const COUNT: usize = N;
    const ANY: bool = T::ANY;
    const NAMED: &'static [(&'static str, u32)] = T::NAMED;
    fn check(&self) -> Result<(), FieldError> {
        if !T::ANY {
            for (i, v) in self.iter().enumerate() {
                v.check().map_err(|e| e.within(&format!("[{i}]")))?;
            }
        }
        Ok(())
    }
}

/// Explicit padding; always zero.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pad<const N: usize>([u8; N]);

// SAFETY: a transparent wrapper of a byte array: no padding, every bit pattern is a value, zero included.
unsafe impl<const N: usize> Zeroable for Pad<N> {}
// SAFETY: as above.
unsafe impl<const N: usize> Pod for Pad<N> {}

impl<const N: usize> Default for Pad<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

impl<const N: usize> Field for Pad<N> {
    const TYPE: &'static str = "pad";
    const COUNT: usize = N;
    fn check(&self) -> Result<(), FieldError> {
        if self.0 == [0; N] {
            Ok(())
        } else {
            Err(FieldError::new("", "padding is not zero"))
        }
    }
}

/// A 32-bit float that compares and hashes by its bits, so that NaN equals itself and 0 differs from -0.
///
/// JSON: a number, or the string `bits:0x7fc00000` where JSON has no number for it.
#[repr(transparent)]
#[derive(Clone, Copy, Pod, Zeroable, Default)]
pub struct F32(pub f32);

impl PartialEq for F32 {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}
impl Eq for F32 {}
impl From<f32> for F32 {
    fn from(v: f32) -> Self {
        Self(v)
    }
}
impl std::fmt::Debug for F32 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
impl Field for F32 {
    const TYPE: &'static str = "f32";
    const ANY: bool = true;
    fn check(&self) -> Result<(), FieldError> {
        Ok(())
    }
}
impl Serialize for F32 {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if !s.is_human_readable() || self.0.is_finite() {
            s.serialize_f32(self.0)
        } else {
            s.collect_str(&format_args!("bits:{:#010x}", self.0.to_bits()))
        }
    }
}
impl<'de> Deserialize<'de> for F32 {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        if !d.is_human_readable() {
            return f32::deserialize(d).map(F32);
        }
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Number(f32),
            Text(String),
        }
        match Either::deserialize(d)? {
            Either::Number(v) => Ok(F32(v)),
            Either::Text(t) => t
                .strip_prefix("bits:0x")
                .and_then(|h| u32::from_str_radix(h, 16).ok())
                .map(|b| F32(f32::from_bits(b)))
                .ok_or_else(|| {
                    serde::de::Error::custom(format!("'{t}' is neither a number nor bits:0x..."))
                }),
        }
    }
}

/// A boolean as 32 bits, 0 or 1.
#[repr(transparent)]
#[derive(Clone, Copy, Pod, Zeroable, PartialEq, Eq, Default, Hash)]
pub struct Bool32(u32);

impl Bool32 {
    /// 0.
    pub const FALSE: Self = Self(0);
    /// 1.
    pub const TRUE: Self = Self(1);
    /// As a `bool`.
    #[must_use]
    pub const fn get(self) -> bool {
        self.0 != 0
    }
}
impl From<bool> for Bool32 {
    fn from(v: bool) -> Self {
        Self(u32::from(v))
    }
}
impl std::fmt::Debug for Bool32 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.get().fmt(f)
    }
}
impl Field for Bool32 {
    const TYPE: &'static str = "bool32";
    fn check(&self) -> Result<(), FieldError> {
        if self.0 <= 1 {
            Ok(())
        } else {
            Err(FieldError::new("", format!("{} is not 0 or 1", self.0)))
        }
    }
}
impl Serialize for Bool32 {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_bool(self.get())
    }
}
impl<'de> Deserialize<'de> for Bool32 {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        bool::deserialize(d).map(Into::into)
    }
}

/// One field of a payload, as the schema table of a trace file and the layout fingerprint see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldInfo {
    /// Field name.
    pub name: &'static str,
    /// Element type.
    pub ty: &'static str,
    /// Byte offset in the struct.
    pub offset: u32,
    /// Bytes of the whole field.
    pub size: u32,
    /// Elements (1 unless an array).
    pub count: u32,
    /// The values or bits that have names, of an enumeration or a mask.
    pub named: &'static [(&'static str, u32)],
}

/// A struct declared by [`pod!`].
pub trait Payload: Field {
    /// Struct name.
    const NAME: &'static str;
    /// Its fields, in order; they cover the struct without gaps.
    const FIELDS: &'static [FieldInfo];
    /// Structs that its fields hold.
    fn nested(visit: &mut dyn FnMut(&'static str, &'static [FieldInfo]));
}

/// Helper of [`pod!`]: the schema of a field's own type where it is a struct.
pub trait MaybeNested {
    /// Calls `visit` for the type itself and what it holds.
    fn visit_nested(visit: &mut dyn FnMut(&'static str, &'static [FieldInfo]));
}
macro_rules! leaf {
    ($($t:ty),*) => { $( impl MaybeNested for $t {
        fn visit_nested(_: &mut dyn FnMut(&'static str, &'static [FieldInfo])) {}
    } )* };
}
leaf!(u8, u16, u32, i32, u64, i64, F32, Bool32);
impl<const N: usize> MaybeNested for Pad<N> {
    fn visit_nested(_: &mut dyn FnMut(&'static str, &'static [FieldInfo])) {}
}
impl<T: MaybeNested, const N: usize> MaybeNested for [T; N] {
    fn visit_nested(visit: &mut dyn FnMut(&'static str, &'static [FieldInfo])) {
        T::visit_nested(visit);
    }
}

/// Declares a payload struct: `pod! { /// doc  pub struct Name: BYTES { /// doc  field: Type, ... } }`.
///
/// The struct is `repr(C)` POD without implicit padding (the derive refuses it), its size is asserted, unknown JSON
/// keys are refused and missing ones are zero.
#[macro_export]
macro_rules! pod {
    ($( $(#[$m:meta])* pub struct $name:ident : $size:literal { $( $(#[$fm:meta])* $field:ident : $ty:ty ),* $(,)? } )*) => { $(
        $(#[$m])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ::bytemuck::Pod, ::bytemuck::Zeroable, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name { $( $(#[$fm])* pub $field: $ty ),* }

        const _: () = assert!(size_of::<$name>() == $size, concat!("size of ", stringify!($name)));

        impl Default for $name {
            fn default() -> Self { ::bytemuck::Zeroable::zeroed() }
        }
        impl $crate::pod::Field for $name {
            const TYPE: &'static str = stringify!($name);
            const ANY: bool = true $( && <$ty as $crate::pod::Field>::ANY )*;
            fn check(&self) -> Result<(), $crate::pod::FieldError> {
                $( if !<$ty as $crate::pod::Field>::ANY {
                    $crate::pod::Field::check(&self.$field).map_err(|e| e.within(stringify!($field)))?;
                } )*
                Ok(())
            }
        }
        impl $crate::pod::Payload for $name {
            const NAME: &'static str = stringify!($name);
            const FIELDS: &'static [$crate::pod::FieldInfo] = &[ $( $crate::pod::FieldInfo {
                name: stringify!($field),
                ty: <$ty as $crate::pod::Field>::TYPE,
                offset: ::core::mem::offset_of!($name, $field) as u32,
                size: size_of::<$ty>() as u32,
                count: <$ty as $crate::pod::Field>::COUNT as u32,
                named: <$ty as $crate::pod::Field>::NAMED,
            } ),* ];
            fn nested(visit: &mut dyn FnMut(&'static str, &'static [$crate::pod::FieldInfo])) {
                $( <$ty as $crate::pod::MaybeNested>::visit_nested(visit); )*
            }
        }
        impl $crate::pod::MaybeNested for $name {
            fn visit_nested(visit: &mut dyn FnMut(&'static str, &'static [$crate::pod::FieldInfo])) {
                visit(<Self as $crate::pod::Payload>::NAME, <Self as $crate::pod::Payload>::FIELDS);
                <Self as $crate::pod::Payload>::nested(visit);
            }
        }
    )* };
}

/// Declares an enumeration with GL's values: a transparent `u32` whose named values are the legal ones.
///
/// JSON: the name with `GL_` in front. [`Field::check`] refuses every other value.
#[macro_export]
macro_rules! gl_enum {
    ($( $(#[$m:meta])* pub enum $name:ident { $( $v:ident = $n:expr ),* $(,)? } )*) => { $(
        $(#[$m])*
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, ::bytemuck::Pod, ::bytemuck::Zeroable)]
        pub struct $name(pub u32);

        #[allow(missing_docs)]
        impl $name {
            $( pub const $v: Self = Self($n); )*
            /// Every legal value with its name.
            pub const VALUES: &'static [(Self, &'static str)] = &[ $( (Self($n), concat!("GL_", stringify!($v))) ),* ];
            /// The value's name, if it is legal.
            #[must_use]
            pub fn name(self) -> Option<&'static str> {
                #[allow(unreachable_patterns)]
                match self.0 { $( x if x == $n => Some(concat!("GL_", stringify!($v))), )* _ => None }
            }
            /// The enumeration's value for a GL constant, if it is legal here.
            #[must_use]
            pub fn from_gl(v: u32) -> Option<Self> { Self(v).name().map(|_| Self(v)) }
        }
        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self.name() { Some(n) => f.write_str(n), None => write!(f, "{:#x}", self.0) }
            }
        }
        impl Default for $name {
            fn default() -> Self { Self(0) }
        }
        impl $crate::pod::Field for $name {
            const TYPE: &'static str = stringify!($name);
            const NAMED: &'static [(&'static str, u32)] = &[ $( (concat!("GL_", stringify!($v)), $n) ),* ];
            fn check(&self) -> Result<(), $crate::pod::FieldError> {
                match self.name() {
                    Some(_) => Ok(()),
                    None => Err($crate::pod::FieldError::new("", format!("{:#x} is not a {}", self.0, stringify!($name)))),
                }
            }
        }
        impl $crate::pod::MaybeNested for $name {
            fn visit_nested(_: &mut dyn FnMut(&'static str, &'static [$crate::pod::FieldInfo])) {}
        }
        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                match self.name() { Some(n) if s.is_human_readable() => s.serialize_str(n), _ => s.serialize_u32(self.0) }
            }
        }
        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                $crate::pod::deserialize_named(d, stringify!($name), |t| {
                    Self::VALUES.iter().find(|(_, n)| *n == t).map(|(v, _)| v.0)
                }).map(Self)
            }
        }
    )* };
}

/// Helper of [`gl_enum!`]: a number, or a name that `find` knows.
pub fn deserialize_named<'de, D: Deserializer<'de>>(
    d: D,
    what: &str,
    find: impl Fn(&str) -> Option<u32>,
) -> Result<u32, D::Error> {
    if !d.is_human_readable() {
        return u32::deserialize(d);
    }
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Number(u32),
        Text(String),
    }
    match Either::deserialize(d)? {
        Either::Number(v) => Ok(v),
        Either::Text(t) => {
            find(&t).ok_or_else(|| serde::de::Error::custom(format!("'{t}' is not a {what}")))
        }
    }
}

/// Declares a bit mask: a transparent `u32` in which only the named bits may be set.
///
/// JSON: a string of the names joined by `|`, empty for zero.
#[macro_export]
macro_rules! bit_mask {
    ($( $(#[$m:meta])* pub struct $name:ident { $( $(#[$vm:meta])* $v:ident = $n:expr ),* $(,)? } )*) => { $(
        $(#[$m])*
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Default, ::bytemuck::Pod, ::bytemuck::Zeroable)]
        pub struct $name(pub u32);

        impl $name {
            $( $(#[$vm])* pub const $v: Self = Self($n); )*
            /// All bits that may be set.
            pub const ALL: Self = Self(0 $( | $n )*);
            /// No bit.
            pub const NONE: Self = Self(0);
            const NAMES: &'static [(u32, &'static str)] = &[ $( ($n, stringify!($v)) ),* ];
            /// Whether all bits of `other` are set.
            #[must_use]
            pub const fn has(self, other: Self) -> bool { self.0 & other.0 == other.0 }
            /// Whether no bit is set.
            #[must_use]
            pub const fn is_empty(self) -> bool { self.0 == 0 }
            /// `self` with `other`'s bits set or cleared.
            #[must_use]
            pub const fn with(self, other: Self, on: bool) -> Self {
                if on { Self(self.0 | other.0) } else { Self(self.0 & !other.0) }
            }
        }
        impl ::std::ops::BitOr for $name {
            type Output = Self;
            fn bitor(self, o: Self) -> Self { Self(self.0 | o.0) }
        }
        impl ::std::ops::BitOrAssign for $name {
            fn bitor_assign(&mut self, o: Self) { self.0 |= o.0; }
        }
        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(&$crate::pod::mask_text(self.0, Self::NAMES))
            }
        }
        impl $crate::pod::Field for $name {
            const TYPE: &'static str = stringify!($name);
            const NAMED: &'static [(&'static str, u32)] = &[ $( (stringify!($v), $n) ),* ];
            fn check(&self) -> Result<(), $crate::pod::FieldError> {
                if self.0 & !Self::ALL.0 == 0 { Ok(()) }
                else { Err($crate::pod::FieldError::new("", format!("{:#x} has bits that {} does not know", self.0, stringify!($name)))) }
            }
        }
        impl $crate::pod::MaybeNested for $name {
            fn visit_nested(_: &mut dyn FnMut(&'static str, &'static [$crate::pod::FieldInfo])) {}
        }
        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                if s.is_human_readable() { s.serialize_str(&$crate::pod::mask_text(self.0, Self::NAMES)) } else { s.serialize_u32(self.0) }
            }
        }
        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                $crate::pod::deserialize_named(d, stringify!($name), |t| $crate::pod::mask_parse(t, Self::NAMES)).map(Self)
            }
        }
    )* };
}

/// Text of a mask: names joined by `|`; bits without a name in hexadecimal.
#[must_use]
pub fn mask_text(mut v: u32, names: &[(u32, &'static str)]) -> String {
    let mut out: Vec<String> = Vec::new();
    for &(bit, name) in names {
        if bit != 0 && v & bit == bit {
            out.push(name.to_owned());
            v &= !bit;
        }
    }
    if v != 0 {
        out.push(format!("{v:#x}"));
    }
    out.join("|")
}

/// The inverse of [`mask_text`].
#[must_use]
pub fn mask_parse(text: &str, names: &[(u32, &'static str)]) -> Option<u32> {
    text.split('|')
        .map(str::trim)
        .filter(|t| !t.is_empty())
        .try_fold(0, |acc, t| {
            let bit = match t.strip_prefix("0x") {
                Some(h) => u32::from_str_radix(h, 16).ok()?,
                None => names.iter().find(|(_, n)| *n == t)?.0,
            };
            Some(acc | bit)
        })
}

// Formats come from a table of their own; zero stands for "no format".
impl Field for crate::format::Format {
    const TYPE: &'static str = "Format";
    const NAMED: &'static [(&'static str, u32)] = crate::format::NAMES;
    fn check(&self) -> Result<(), FieldError> {
        if self.0 == 0 || self.info().is_some() {
            Ok(())
        } else {
            Err(FieldError::new(
                "",
                format!("{:#x} is not a format of the pipe", self.0),
            ))
        }
    }
}
leaf!(crate::format::Format);
