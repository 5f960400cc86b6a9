//! Texture targets: GL's names for them, the pipe's, and what sets them apart.

use crate::consts::gl::*;
use mgl_core::pipe::Target;

/// What a texture was first bound as (GL 4.6 §8.1); it never changes afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum TextureTarget {
    /// `GL_TEXTURE_1D`
    D1,
    /// `GL_TEXTURE_2D`
    D2,
    /// `GL_TEXTURE_3D`
    D3,
    /// `GL_TEXTURE_RECTANGLE`
    Rectangle,
    /// `GL_TEXTURE_CUBE_MAP`
    Cube,
    /// `GL_TEXTURE_1D_ARRAY`
    D1Array,
    /// `GL_TEXTURE_2D_ARRAY`
    D2Array,
    /// `GL_TEXTURE_CUBE_MAP_ARRAY`
    CubeArray,
    /// `GL_TEXTURE_BUFFER`
    Buffer,
    /// `GL_TEXTURE_2D_MULTISAMPLE`
    D2Multisample,
    /// `GL_TEXTURE_2D_MULTISAMPLE_ARRAY`
    D2MultisampleArray,
}

/// A texture target, with the target of its proxy and of its binding query.
struct Row {
    target: TextureTarget,
    gl: u32,
    proxy: u32,
    binding: u32,
    pipe: Target,
}

macro_rules! rows {
    ($($t:ident $gl:ident $proxy:expr, $binding:ident;)*) => {
        const ROWS: [Row; TextureTarget::COUNT] = [$(Row {
            target: TextureTarget::$t,
            gl: $gl,
            proxy: $proxy,
            binding: $binding,
            pipe: Target($gl),
        }),*];
    };
}
rows! {
    D1 GL_TEXTURE_1D GL_PROXY_TEXTURE_1D, GL_TEXTURE_BINDING_1D;
    D2 GL_TEXTURE_2D GL_PROXY_TEXTURE_2D, GL_TEXTURE_BINDING_2D;
    D3 GL_TEXTURE_3D GL_PROXY_TEXTURE_3D, GL_TEXTURE_BINDING_3D;
    Rectangle GL_TEXTURE_RECTANGLE GL_PROXY_TEXTURE_RECTANGLE, GL_TEXTURE_BINDING_RECTANGLE;
    Cube GL_TEXTURE_CUBE_MAP GL_PROXY_TEXTURE_CUBE_MAP, GL_TEXTURE_BINDING_CUBE_MAP;
    D1Array GL_TEXTURE_1D_ARRAY GL_PROXY_TEXTURE_1D_ARRAY, GL_TEXTURE_BINDING_1D_ARRAY;
    D2Array GL_TEXTURE_2D_ARRAY GL_PROXY_TEXTURE_2D_ARRAY, GL_TEXTURE_BINDING_2D_ARRAY;
    CubeArray GL_TEXTURE_CUBE_MAP_ARRAY GL_PROXY_TEXTURE_CUBE_MAP_ARRAY, GL_TEXTURE_BINDING_CUBE_MAP_ARRAY;
    Buffer GL_TEXTURE_BUFFER 0, GL_TEXTURE_BINDING_BUFFER;
    D2Multisample GL_TEXTURE_2D_MULTISAMPLE GL_PROXY_TEXTURE_2D_MULTISAMPLE, GL_TEXTURE_BINDING_2D_MULTISAMPLE;
    D2MultisampleArray GL_TEXTURE_2D_MULTISAMPLE_ARRAY GL_PROXY_TEXTURE_2D_MULTISAMPLE_ARRAY,
        GL_TEXTURE_BINDING_2D_MULTISAMPLE_ARRAY;
}

impl TextureTarget {
    /// How many there are.
    pub const COUNT: usize = 11;

    /// All, by index.
    pub fn all() -> impl Iterator<Item = TextureTarget> {
        ROWS.iter().map(|r| r.target)
    }
    /// Position, for arrays of something a target.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
    /// The target that glBindTexture takes.
    #[must_use]
    pub fn from_gl(target: u32) -> Option<Self> {
        ROWS.iter().find(|r| r.gl == target).map(|r| r.target)
    }
    /// The target of a `GL_TEXTURE_BINDING_*` query.
    #[must_use]
    pub fn from_binding_query(pname: u32) -> Option<Self> {
        ROWS.iter().find(|r| r.binding == pname).map(|r| r.target)
    }
    /// GL's name.
    #[must_use]
    pub const fn gl(self) -> u32 {
        ROWS[self as usize].gl
    }
    /// The pipe's name.
    #[must_use]
    pub const fn pipe(self) -> Target {
        ROWS[self as usize].pipe
    }
    /// Images a level: six for a cube map. Cube map arrays have one image whose slices are layers and faces.
    #[must_use]
    pub const fn faces(self) -> usize {
        if matches!(self, Self::Cube) { 6 } else { 1 }
    }
    /// Whether levels beside 0 exist.
    #[must_use]
    pub const fn has_levels(self) -> bool {
        !matches!(
            self,
            Self::Rectangle | Self::Buffer | Self::D2Multisample | Self::D2MultisampleArray
        )
    }
    /// Whether texels have samples.
    #[must_use]
    pub const fn is_multisample(self) -> bool {
        matches!(self, Self::D2Multisample | Self::D2MultisampleArray)
    }
    /// Whether images have several slices: layers, layer-faces, or depth.
    #[must_use]
    pub const fn has_slices(self) -> bool {
        matches!(
            self,
            Self::D3 | Self::D1Array | Self::D2Array | Self::CubeArray | Self::D2MultisampleArray
        )
    }
    /// Whether the height halves from level to level.
    #[must_use]
    pub const fn halves_height(self) -> bool {
        !matches!(self, Self::D1 | Self::D1Array)
    }
    /// Dimensions of glTexImage*D that specify it; 0 for buffer textures and multisample textures.
    #[must_use]
    pub const fn image_dims(self) -> u32 {
        match self {
            Self::D1 => 1,
            Self::D2 | Self::Rectangle | Self::Cube | Self::D1Array => 2,
            Self::D3 | Self::D2Array | Self::CubeArray => 3,
            Self::Buffer | Self::D2Multisample | Self::D2MultisampleArray => 0,
        }
    }
}

/// What an image-level call (glTexImage*, glGetTexLevelParameter* ...) names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageTarget {
    /// The texture's target.
    pub target: TextureTarget,
    /// Face of a cube map, 0 otherwise.
    pub face: usize,
    /// The call asks whether an image would be accepted (GL 4.6 §8.22).
    pub proxy: bool,
}

impl ImageTarget {
    /// The image target of a GL enumerant. A cube map is named by a face, or by its proxy.
    #[must_use]
    pub fn from_gl(target: u32) -> Option<Self> {
        if let GL_TEXTURE_CUBE_MAP_POSITIVE_X..=GL_TEXTURE_CUBE_MAP_NEGATIVE_Z = target {
            return Some(Self {
                target: TextureTarget::Cube,
                face: (target - GL_TEXTURE_CUBE_MAP_POSITIVE_X) as usize,
                proxy: false,
            });
        }
        let row = ROWS
            .iter()
            .find(|r| r.gl == target || (r.proxy != 0 && r.proxy == target))?;
        let proxy = row.gl != target;
        (proxy || row.target != TextureTarget::Cube).then_some(Self {
            target: row.target,
            face: 0,
            proxy,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        for (i, t) in TextureTarget::all().enumerate() {
            assert_eq!(t.index(), i);
            assert_eq!(TextureTarget::from_gl(t.gl()), Some(t));
            assert_eq!(t.pipe().0, t.gl());
            assert_eq!(TextureTarget::from_binding_query(ROWS[i].binding), Some(t));
        }
        assert_eq!(TextureTarget::from_gl(GL_TEXTURE_CUBE_MAP_POSITIVE_X), None);
        assert_eq!(TextureTarget::from_gl(0), None);
        assert_eq!(ImageTarget::from_gl(0), None);
        assert_eq!(ImageTarget::from_gl(GL_TEXTURE_CUBE_MAP), None);
        let face = ImageTarget::from_gl(GL_TEXTURE_CUBE_MAP_NEGATIVE_Y).expect("a face");
        assert_eq!(
            (face.target, face.face, face.proxy),
            (TextureTarget::Cube, 3, false)
        );
        let proxy = ImageTarget::from_gl(GL_PROXY_TEXTURE_CUBE_MAP).expect("a proxy");
        assert!(proxy.proxy && proxy.target == TextureTarget::Cube);
    }
}
