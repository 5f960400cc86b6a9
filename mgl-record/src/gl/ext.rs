//! Names of extensions that do what a core function does, but that the registry does not call another name of it; and
//! texture residency, which EXT_texture_object brought and the core profile dropped.

use super::entry::{api_entry, gl_entry};
use super::state::glStencilFuncSeparate;
use super::texture::{glDeleteTextures, glGenTextures, glIsTexture};
use super::types::*;
use crate::consts::gl::*;
use crate::context::Gl;

impl Gl<'_> {
    /// glAreTexturesResident (GL 2.1 §3.8.14). Every texture is resident, so the answer is true and `residences` is left
    /// alone.
    fn are_textures_resident(&mut self, names: impl ExactSizeIterator<Item = GLuint>) -> GLboolean {
        for name in names {
            if name == 0 || self.share.textures.id(name).is_none() {
                self.raise(GL_INVALID_VALUE);
                return 0;
            }
        }
        1
    }
}

/// The names at `textures`; `None` for a negative number of them.
///
/// # Safety
///
/// There are `n` names, which stay as they are while the iterator is used.
unsafe fn list(
    n: GLsizei,
    textures: *const GLuint,
) -> Option<impl ExactSizeIterator<Item = GLuint>> {
    // SAFETY: inside the `n` names that the caller vouches for.
    (n >= 0).then(|| (0..n as usize).map(move |i| unsafe { textures.add(i).read_unaligned() }))
}

gl_entry! {
    /// Whether textures are resident (GL 2.1 §3.8.14): they are.
    fn glAreTexturesResident(
        gl, n: GLsizei, textures: *const GLuint, residences: *mut GLboolean,
    ) -> GLboolean {
        // Written only when one is not resident.
        let _ = residences;
        // SAFETY: the program gives `n` names.
        match unsafe { list(n, textures) } {
            Some(names) => gl.are_textures_resident(names),
            None => {
                gl.raise(GL_INVALID_VALUE);
                0
            }
        }
    }

    /// Hints at which textures to keep near (GL 2.1 §3.8.14). Names without a texture are ignored, and so is the hint:
    /// nothing that a program can see depends on it.
    fn glPrioritizeTextures(
        gl, n: GLsizei, textures: *const GLuint, priorities: *const GLclampf,
    ) {
        let _ = (textures, priorities);
        if n < 0 {
            gl.raise(GL_INVALID_VALUE);
        }
    }
}

api_entry! {
    /// glAreTexturesResident of EXT_texture_object.
    fn glAreTexturesResidentEXT(
        n: GLsizei, textures: *const GLuint, residences: *mut GLboolean,
    ) -> GLboolean {
        // SAFETY: the caller keeps the same contract; so below.
        unsafe { glAreTexturesResident(n, textures, residences) }
    }
    /// glGenTextures of EXT_texture_object.
    fn glGenTexturesEXT(n: GLsizei, textures: *mut GLuint) {
        // SAFETY: as above.
        unsafe { glGenTextures(n, textures) }
    }
    /// glDeleteTextures of EXT_texture_object.
    fn glDeleteTexturesEXT(n: GLsizei, textures: *const GLuint) {
        // SAFETY: as above.
        unsafe { glDeleteTextures(n, textures) }
    }
    /// glIsTexture of EXT_texture_object.
    fn glIsTextureEXT(texture: GLuint) -> GLboolean {
        // SAFETY: as above.
        unsafe { glIsTexture(texture) }
    }
    /// Stencil tests of both faces (ATI_separate_stencil): one reference value and mask for two functions.
    fn glStencilFuncSeparateATI(frontfunc: GLenum, backfunc: GLenum, r#ref: GLint, mask: GLuint) {
        // A bad function of one face leaves both alone.
        let known = |f| mgl_core::pipe::CompareFunc::from_gl(f).is_some();
        let front = if known(backfunc) { frontfunc } else { backfunc };
        // SAFETY: no pointers.
        unsafe { glStencilFuncSeparate(GL_FRONT, front, r#ref, mask) };
        if known(frontfunc) && known(backfunc) {
            // SAFETY: no pointers.
            unsafe { glStencilFuncSeparate(GL_BACK, backfunc, r#ref, mask) };
        }
    }
}
