//! Names of extensions.

use super::*;
use crate::gl::ext::*;
use crate::gl::texture::{glBindTexture, glIsTexture};

#[test]
fn texture_names_by_the_extensions_names() {
    let _c = Current::new(Profile::Compatibility);
    let mut names = [0; 2];
    // SAFETY: room for two names, or no pointers.
    unsafe {
        glGenTexturesEXT(2, names.as_mut_ptr());
        assert_eq!(glIsTextureEXT(names[0]), 0);
        glBindTexture(GL_TEXTURE_2D, names[0]);
        assert_eq!((glIsTextureEXT(names[0]), glIsTexture(names[0])), (1, 1));
        let nobody = std::ptr::null_mut();
        assert_eq!(glAreTexturesResident(1, names.as_ptr(), nobody), 1);
        assert_eq!(glAreTexturesResidentEXT(1, names.as_ptr(), nobody), 1);
        no_error();
        raises(GL_INVALID_VALUE, || {
            assert_eq!(glAreTexturesResident(2, names.as_ptr(), nobody), 0);
        });
        raises(GL_INVALID_VALUE, || {
            assert_eq!(glAreTexturesResident(-1, names.as_ptr(), nobody), 0);
        });
        glPrioritizeTextures(2, names.as_ptr(), [0.0, 1.0].as_ptr());
        no_error();
        raises(GL_INVALID_VALUE, || {
            glPrioritizeTextures(-1, names.as_ptr(), std::ptr::null())
        });
        glDeleteTexturesEXT(2, names.as_ptr());
        assert_eq!(glIsTexture(names[0]), 0);
    }
    no_error();
}

#[test]
fn both_stencil_functions_or_none() {
    let _c = Current::new(Profile::Compatibility);
    let state = || {
        gl(|gl| {
            let p = gl.ctx.render.pipeline().stencil;
            let d = gl.ctx.render.dynamic().stencil;
            (p.map(|f| f.func.0), d.map(|f| f.reference))
        })
    };
    // SAFETY: no pointers.
    unsafe {
        glStencilFuncSeparateATI(GL_LESS, GL_GREATER, 3, 0xff);
        no_error();
        assert_eq!(state(), ([GL_LESS, GL_GREATER], [3, 3]));
        for (front, back) in [(GL_ONE, GL_EQUAL), (GL_EQUAL, GL_ONE)] {
            raises(GL_INVALID_ENUM, || {
                glStencilFuncSeparateATI(front, back, 5, 0xff)
            });
        }
        assert_eq!(state(), ([GL_LESS, GL_GREATER], [3, 3]));
    }
}
