//! Aggregate generations and the tokens that move them (design: pipe contract 3.5, driver 5.3).
//!
//! State that a verb depends on is private to its module, and every mutator of it takes a [`Token`] of the group it
//! dirties. Tokens come from [`Generations::touch`] only, which raises the group's generation: changing state without
//! marking it does not compile. The tracker compares one generation a group and walks only when it moved, and one for all
//! that draws resolve: a steady draw looks no further.

use std::marker::PhantomData;

macro_rules! groups {
    ($( $(#[$m:meta])* $group:ident $field:ident $resolved:literal ),* $(,)?) => {
        /// One counter a group of state; each rises when something of the group changes.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct Generations { all: u64, $( $field: u64 ),* }

        impl Default for Generations {
            fn default() -> Self { Self { all: 1, $( $field: 1 ),* } }
        }

        $(
            $(#[$m])*
            #[derive(Debug, Clone, Copy)]
            pub enum $group {}
            impl Group for $group {
                const RESOLVED: bool = $resolved;
                fn place(g: &mut Generations) -> &mut u64 { &mut g.$field }
                fn value(g: &Generations) -> u64 { g.$field }
            }
        )*
    };
}

/// A group of front-end state.
pub trait Group {
    /// Whether draws resolve it.
    const RESOLVED: bool;
    #[doc(hidden)]
    fn place(g: &mut Generations) -> &mut u64;
    #[doc(hidden)]
    fn value(g: &Generations) -> u64;
}

groups! {
    /// Texels of textures: uploads, respecification, rendering into them.
    TextureContent texture_content true,
    /// Parameters of textures and samplers.
    TextureParams texture_params true,
    /// Which textures and samplers are bound to which units.
    TextureBindings texture_bindings true,
    /// Storage of buffers: whether there is one, and its size.
    Buffers buffers true,
    /// Content of buffers, which nothing is resolved from.
    BufferContent buffer_content false,
    /// Which buffers are mapped: every draw asks that apart.
    Mappings mappings false,
    /// Indexed buffer bindings.
    BufferBindings buffer_bindings true,
    /// Vertex arrays and which one is bound.
    VertexArrays vertex_arrays true,
    /// Current values of attributes.
    AttribValues attrib_values true,
    /// Framebuffers: attachments, draw and read buffers, which are bound.
    Attachments attachments true,
    /// Programs: which one is in use, relinking, what their opaque uniforms and blocks are bound to.
    Programs programs true,
    /// Values of uniforms in default blocks: programs send them without being resolved.
    Uniforms uniforms false,
    /// Pixel store state.
    PixelStoreState pixel_store false,
    /// Transform feedback objects and their buffers.
    StreamOutput stream_output true,
    /// Values that no draw depends on: clear values, hints, debug state.
    Passive passive false,
}

/// Proof that group `G` was marked dirty. Cannot be kept or copied: a mutator consumes it.
#[must_use]
pub struct Token<G>(PhantomData<G>);

impl Generations {
    /// Marks group `G` dirty and returns the proof.
    #[inline]
    pub fn touch<G: Group>(&mut self) -> Token<G> {
        *G::place(self) += 1;
        self.all += u64::from(G::RESOLVED);
        Token(PhantomData)
    }
    /// Rises when a group does that draws resolve.
    #[inline]
    #[must_use]
    pub fn all(&self) -> u64 {
        self.all
    }
    /// The generation of group `G`.
    #[inline]
    #[must_use]
    pub fn of<G: Group>(&self) -> u64 {
        G::value(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_costs_a_generation_of_its_own_group_only() {
        let mut g = Generations::default();
        let before = g;
        let _t: Token<Buffers> = g.touch();
        assert_eq!(g.of::<Buffers>(), before.of::<Buffers>() + 1);
        assert_eq!(g.of::<Programs>(), before.of::<Programs>());
        assert_eq!(g.all(), before.all() + 1);
        drop(g.touch::<Uniforms>());
        assert_eq!(g.all(), before.all() + 1, "values are sent, not resolved");
    }
}
