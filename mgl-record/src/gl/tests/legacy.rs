//! State of the fixed function: kept in the compatibility profile, refused in the core profile.

use super::*;
use crate::gl::clear::*;
use crate::gl::get::*;
use crate::gl::legacy::arrays::*;
use crate::gl::legacy::attrib_stack::*;
use crate::gl::legacy::client_stack::*;
use crate::gl::legacy::color::*;
use crate::gl::legacy::light::*;
use crate::gl::legacy::matrix::*;
use crate::gl::legacy::raster::*;
use crate::gl::legacy::texcoord::*;
use crate::gl::legacy::texture_env::*;
use crate::gl::state::*;
use crate::gl::texture::transfer::glPixelStorei;
use crate::gl::texture::{glActiveTexture, glBindTexture, glDeleteTextures, glGenTextures};

const IDENTITY: [f32; 16] = crate::gl::legacy::math::IDENTITY;

fn floats<const N: usize>(pname: GLenum) -> [f32; N] {
    let mut v = [f32::NAN; N];
    // SAFETY: room for the value.
    unsafe { glGetFloatv(pname, v.as_mut_ptr()) };
    no_error();
    v
}

fn int(pname: GLenum) -> GLint {
    let mut v = GLint::MIN;
    // SAFETY: room for one value.
    unsafe { glGetIntegerv(pname, &mut v) };
    no_error();
    v
}

#[test]
fn matrices_are_kept_on_stacks_with_limits() {
    let _c = Current::new(Profile::Compatibility);
    // SAFETY: matrices have sixteen values.
    unsafe {
        assert_eq!(int(GL_MATRIX_MODE), GL_MODELVIEW as GLint);
        assert_eq!(floats::<16>(GL_MODELVIEW_MATRIX), IDENTITY);
        for (mode, depth, limit) in [
            (
                GL_MODELVIEW,
                GL_MODELVIEW_STACK_DEPTH,
                GL_MAX_MODELVIEW_STACK_DEPTH,
            ),
            (
                GL_PROJECTION,
                GL_PROJECTION_STACK_DEPTH,
                GL_MAX_PROJECTION_STACK_DEPTH,
            ),
            (
                GL_TEXTURE,
                GL_TEXTURE_STACK_DEPTH,
                GL_MAX_TEXTURE_STACK_DEPTH,
            ),
        ] {
            glMatrixMode(mode);
            assert_eq!(int(GL_MATRIX_MODE), mode as GLint);
            for n in 1..int(limit) {
                assert_eq!(int(depth), n);
                glPushMatrix();
            }
            no_error();
            raises(GL_STACK_OVERFLOW, || glPushMatrix());
            assert_eq!(int(depth), int(limit));
            for _ in 1..int(limit) {
                glPopMatrix();
            }
            no_error();
            raises(GL_STACK_UNDERFLOW, || glPopMatrix());
        }
        raises(GL_INVALID_ENUM, || glMatrixMode(GL_COLOR));
        glMatrixMode(GL_PROJECTION);
        glOrtho(0.0, 8.0, 4.0, 0.0, -1.0, 1.0);
        let m = floats::<16>(GL_PROJECTION_MATRIX);
        assert_eq!(
            (m[0], m[5], m[10], m[12], m[13]),
            (0.25, -0.5, -1.0, -1.0, 1.0)
        );
        raises(GL_INVALID_VALUE, || glOrtho(1.0, 1.0, 0.0, 1.0, 0.0, 1.0));
        raises(GL_INVALID_VALUE, || {
            glFrustum(-1.0, 1.0, -1.0, 1.0, 0.0, 1.0)
        });
        glLoadIdentity();
        glFrustum(-1.0, 1.0, -1.0, 1.0, 1.0, 3.0);
        let m = floats::<16>(GL_PROJECTION_MATRIX);
        assert_eq!(
            (m[0], m[10], m[11], m[14], m[15]),
            (1.0, -2.0, -1.0, -3.0, 0.0)
        );
        assert_eq!(floats::<16>(GL_MODELVIEW_MATRIX), IDENTITY, "another stack");
        glMatrixMode(GL_MODELVIEW);
        let mut m = IDENTITY;
        (m[0], m[12]) = (2.0, 3.0);
        glLoadMatrixf(m.as_ptr());
        glTranslatef(1.0, 0.0, 0.0);
        glScalef(2.0, 1.0, 1.0);
        let got = floats::<16>(GL_MODELVIEW_MATRIX);
        assert_eq!((got[0], got[12]), (4.0, 5.0));
        let rows = floats::<16>(GL_TRANSPOSE_MODELVIEW_MATRIX);
        assert_eq!((rows[0], rows[3]), (4.0, 5.0));
        glLoadIdentity();
        glRotated(90.0, 0.0, 0.0, 5.0);
        let got = floats::<16>(GL_MODELVIEW_MATRIX);
        assert!((got[1] - 1.0).abs() < 1e-6 && (got[4] + 1.0).abs() < 1e-6 && got[0].abs() < 1e-6);
        glLoadTransposeMatrixf(rows.as_ptr());
        glMultMatrixf(IDENTITY.as_ptr());
        assert_eq!(floats::<16>(GL_TRANSPOSE_MODELVIEW_MATRIX), rows);
        glActiveTexture(GL_TEXTURE0 + 20);
        glMatrixMode(GL_TEXTURE);
        raises(GL_INVALID_OPERATION, || glLoadIdentity());
    }
}

#[test]
fn current_values_and_parameters_read_back() {
    let _c = Current::new(Profile::Compatibility);
    // SAFETY: the arrays have what is read and written.
    unsafe {
        assert_eq!(floats::<4>(GL_CURRENT_COLOR), [1.0; 4]);
        glColor3ub(255, 0, 51);
        assert_eq!(floats::<4>(GL_CURRENT_COLOR), [1.0, 0.0, 0.2, 1.0]);
        glColor4fv([0.1f32, 0.2, 0.3, 0.4].as_ptr());
        assert_eq!(floats::<4>(GL_CURRENT_COLOR), [0.1, 0.2, 0.3, 0.4]);
        glNormal3f(0.0, 1.0, 0.0);
        assert_eq!(floats::<3>(GL_CURRENT_NORMAL), [0.0, 1.0, 0.0]);
        glMultiTexCoord2f(GL_TEXTURE1, 3.0, 4.0);
        assert_eq!(floats::<4>(GL_CURRENT_TEXTURE_COORDS), [0.0, 0.0, 0.0, 1.0]);
        glActiveTexture(GL_TEXTURE1);
        assert_eq!(floats::<4>(GL_CURRENT_TEXTURE_COORDS), [3.0, 4.0, 0.0, 1.0]);
        glActiveTexture(GL_TEXTURE0);
        raises(GL_INVALID_ENUM, || glMultiTexCoord1f(GL_TEXTURE8, 0.0));
        assert_eq!(int(GL_SHADE_MODEL), GL_SMOOTH as GLint);
        glShadeModel(GL_FLAT);
        assert_eq!(int(GL_SHADE_MODEL), GL_FLAT as GLint);
        raises(GL_INVALID_ENUM, || glShadeModel(GL_LINE));
        glAlphaFunc(GL_GREATER, 0.5);
        assert_eq!(
            (int(GL_ALPHA_TEST_FUNC), floats::<1>(GL_ALPHA_TEST_REF)),
            (GL_GREATER as GLint, [0.5])
        );
        raises(GL_INVALID_ENUM, || glAlphaFunc(GL_ONE, 0.5));
        glPixelTransferf(GL_RED_SCALE, 1.0);
        glPixelTransferi(GL_MAP_COLOR, 0);
        no_error();
        raises(GL_INVALID_OPERATION, || glPixelTransferf(GL_RED_BIAS, 0.5));
        raises(GL_INVALID_ENUM, || glPixelTransferf(GL_BLEND, 0.0));
        glFogi(GL_FOG_MODE, GL_LINEAR as GLint);
        glFogfv(GL_FOG_COLOR, [0.5f32; 4].as_ptr());
        assert_eq!(
            (int(GL_FOG_MODE), floats::<4>(GL_FOG_COLOR)),
            (GL_LINEAR as GLint, [0.5; 4])
        );
        raises(GL_INVALID_VALUE, || glFogf(GL_FOG_DENSITY, -1.0));
        raises(GL_INVALID_ENUM, || glFogi(GL_FOG_MODE, 3));
        raises(GL_INVALID_ENUM, || glFogf(GL_FOG_COLOR, 3.0));
        let mut v = [0.0f32; 4];
        glLightfv(GL_LIGHT1, GL_POSITION, [1.0f32, 2.0, 3.0, 1.0].as_ptr());
        glGetLightfv(GL_LIGHT1, GL_POSITION, v.as_mut_ptr());
        assert_eq!(v, [1.0, 2.0, 3.0, 1.0]);
        raises(GL_INVALID_ENUM, || {
            glLightf(GL_LIGHT0 + 8, GL_SPOT_CUTOFF, 3.0)
        });
        raises(GL_INVALID_VALUE, || {
            glLightf(GL_LIGHT0, GL_SPOT_CUTOFF, 91.0)
        });
        glMaterialfv(
            GL_FRONT_AND_BACK,
            GL_AMBIENT_AND_DIFFUSE,
            [0.5f32; 4].as_ptr(),
        );
        glGetMaterialfv(GL_BACK, GL_DIFFUSE, v.as_mut_ptr());
        assert_eq!(v, [0.5; 4]);
        glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE as GLint);
        let mut mode = 0;
        glGetTexEnviv(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, &mut mode);
        assert_eq!(mode, GL_REPLACE as GLint);
        raises(GL_INVALID_ENUM, || {
            glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, 1)
        });
        raises(GL_INVALID_ENUM, || {
            glTexEnvi(GL_TEXTURE_2D, GL_TEXTURE_ENV_MODE, 1)
        });
        raises(GL_INVALID_VALUE, || {
            glTexEnvf(GL_TEXTURE_ENV, GL_RGB_SCALE, 3.0)
        });
        glTexGeni(GL_S, GL_TEXTURE_GEN_MODE, GL_OBJECT_LINEAR as GLint);
        raises(GL_INVALID_ENUM, || {
            glTexGeni(GL_Q, GL_TEXTURE_GEN_MODE, GL_SPHERE_MAP as GLint)
        });
        no_error();
    }
}

#[test]
fn switches_of_a_texture_unit_are_its_own() {
    let _c = Current::new(Profile::Compatibility);
    // SAFETY: no pointers.
    unsafe {
        for cap in [
            GL_LIGHTING,
            GL_ALPHA_TEST,
            GL_FOG,
            GL_LINE_STIPPLE,
            GL_NORMALIZE,
            GL_LIGHT7,
        ] {
            assert_eq!(glIsEnabled(cap), 0);
            glEnable(cap);
            assert_eq!((glIsEnabled(cap), int(cap)), (1, 1), "{cap:#x}");
            glDisable(cap);
            assert_eq!(glIsEnabled(cap), 0);
        }
        glEnable(GL_TEXTURE_2D);
        glActiveTexture(GL_TEXTURE1);
        assert_eq!(glIsEnabled(GL_TEXTURE_2D), 0);
        no_error();
        raises(GL_INVALID_ENUM, || glEnable(GL_LIGHT0 + 8));
    }
}

#[test]
fn attribute_groups_come_back() {
    let _c = Current::new(Profile::Compatibility);
    let mut textures = [0; 2];
    // SAFETY: room for what is written.
    unsafe {
        glGenTextures(2, textures.as_mut_ptr());
        glBindTexture(GL_TEXTURE_2D, textures[0]);
        glActiveTexture(GL_TEXTURE3);
        glBindTexture(GL_TEXTURE_2D, textures[1]);
        glClearColor(0.25, 0.5, 0.75, 1.0);
        glPushAttrib(GL_ALL_ATTRIB_BITS);
        assert_eq!(int(GL_ATTRIB_STACK_DEPTH), 1);
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE);
        glDepthFunc(GL_ALWAYS);
        glDepthMask(0);
        glViewport(1, 2, 3, 4);
        glEnable(GL_SCISSOR_TEST);
        glScissor(1, 1, 1, 1);
        glClearColor(1.0, 1.0, 1.0, 0.0);
        glColor3f(0.0, 0.0, 0.0);
        glMatrixMode(GL_PROJECTION);
        glStencilFunc(GL_LESS, 3, 7);
        glHint(GL_FOG_HINT, GL_NICEST);
        glEnable(GL_TEXTURE_2D);
        glLineWidth(3.0);
        glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
        glBindTexture(GL_TEXTURE_2D, 0);
        glActiveTexture(GL_TEXTURE0);
        glDeleteTextures(1, textures.as_ptr());
        glPopAttrib();
        no_error();
        assert_eq!(glIsEnabled(GL_BLEND), 0);
        assert_eq!(int(GL_BLEND_SRC), GL_ONE as GLint);
        assert_eq!(
            (int(GL_DEPTH_FUNC), int(GL_DEPTH_WRITEMASK)),
            (GL_LESS as GLint, 1)
        );
        assert_eq!(floats::<4>(GL_VIEWPORT), [0.0, 0.0, 8.0, 8.0]);
        assert_eq!(
            (glIsEnabled(GL_SCISSOR_TEST), floats::<4>(GL_SCISSOR_BOX)),
            (0, [0.0, 0.0, 8.0, 8.0])
        );
        assert_eq!(floats::<4>(GL_COLOR_CLEAR_VALUE), [0.25, 0.5, 0.75, 1.0]);
        assert_eq!(floats::<4>(GL_CURRENT_COLOR), [1.0; 4]);
        assert_eq!(int(GL_MATRIX_MODE), GL_MODELVIEW as GLint);
        assert_eq!(
            (int(GL_STENCIL_FUNC), int(GL_STENCIL_REF)),
            (GL_ALWAYS as GLint, 0)
        );
        assert_eq!(int(GL_FOG_HINT), GL_DONT_CARE as GLint);
        assert_eq!(floats::<1>(GL_LINE_WIDTH), [1.0]);
        assert_eq!(int(GL_POLYGON_MODE), GL_FILL as GLint);
        assert_eq!(int(GL_ACTIVE_TEXTURE), GL_TEXTURE3 as GLint);
        assert_eq!(
            (int(GL_TEXTURE_BINDING_2D), glIsEnabled(GL_TEXTURE_2D)),
            (textures[1] as GLint, 0)
        );
        glActiveTexture(GL_TEXTURE0);
        assert_eq!(int(GL_TEXTURE_BINDING_2D), 0, "deleted meanwhile");

        // A group that was not kept stays as it is.
        glPushAttrib(GL_DEPTH_BUFFER_BIT);
        glDepthFunc(GL_EQUAL);
        glLineWidth(2.0);
        glPopAttrib();
        assert_eq!(
            (int(GL_DEPTH_FUNC), floats::<1>(GL_LINE_WIDTH)),
            (GL_LESS as GLint, [2.0])
        );

        for _ in 0..int(GL_MAX_ATTRIB_STACK_DEPTH) {
            glPushAttrib(0);
        }
        no_error();
        raises(GL_STACK_OVERFLOW, || glPushAttrib(0));
        for _ in 0..int(GL_MAX_ATTRIB_STACK_DEPTH) {
            glPopAttrib();
        }
        no_error();
        raises(GL_STACK_UNDERFLOW, || glPopAttrib());
    }
}

#[test]
fn client_groups_come_back() {
    let _c = Current::new(Profile::Compatibility);
    let b = buffer(GL_ARRAY_BUFFER, &[0; 64]);
    // SAFETY: offsets into a buffer; room for what is written.
    unsafe {
        glVertexAttribPointer(1, 2, GL_FLOAT, 0, 8, std::ptr::without_provenance(16));
        glEnableVertexAttribArray(1);
        glVertexPointer(3, GL_FLOAT, 12, std::ptr::without_provenance(4));
        glEnableClientState(GL_VERTEX_ARRAY);
        glPixelStorei(GL_UNPACK_ALIGNMENT, 2);
        glPushClientAttrib(GL_CLIENT_ALL_ATTRIB_BITS);
        glPixelStorei(GL_UNPACK_ALIGNMENT, 8);
        glBindBuffer(GL_ARRAY_BUFFER, 0);
        glVertexAttribPointer(1, 4, GL_SHORT, 0, 0, std::ptr::null());
        glDisableVertexAttribArray(1);
        glDisableClientState(GL_VERTEX_ARRAY);
        glVertexPointer(2, GL_SHORT, 0, std::ptr::null());
        glPopClientAttrib();
        no_error();
        assert_eq!(int(GL_UNPACK_ALIGNMENT), 2);
        assert_eq!(int(GL_ARRAY_BUFFER_BINDING), b as GLint);
        let mut v = 0;
        for (pname, value) in [
            (GL_VERTEX_ATTRIB_ARRAY_ENABLED, 1),
            (GL_VERTEX_ATTRIB_ARRAY_SIZE, 2),
            (GL_VERTEX_ATTRIB_ARRAY_TYPE, GL_FLOAT as GLint),
            (GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING, b as GLint),
        ] {
            glGetVertexAttribiv(1, pname, &mut v);
            assert_eq!(v, value, "{pname:#x}");
        }
        assert_eq!(
            (glIsEnabled(GL_VERTEX_ARRAY), int(GL_VERTEX_ARRAY_SIZE)),
            (1, 3)
        );
        assert_eq!(int(GL_VERTEX_ARRAY_BUFFER_BINDING), b as GLint);
        let mut p = std::ptr::null_mut();
        glGetPointerv(GL_VERTEX_ARRAY_POINTER, &mut p);
        assert_eq!(p as usize, 4);
        raises(GL_INVALID_ENUM, || glEnableClientState(GL_BLEND));
        raises(GL_INVALID_VALUE, || {
            glVertexPointer(1, GL_FLOAT, 0, std::ptr::null())
        });
        raises(GL_INVALID_ENUM, || {
            glVertexPointer(2, GL_BYTE, 0, std::ptr::null())
        });
        raises(GL_STACK_UNDERFLOW, || glPopClientAttrib());
    }
}

#[test]
fn the_core_profile_has_none_of_it() {
    let _c = Current::new(Profile::Core);
    // SAFETY: nothing is read or written.
    unsafe {
        raises(GL_INVALID_OPERATION, || glMatrixMode(GL_MODELVIEW));
        raises(GL_INVALID_OPERATION, || glLoadIdentity());
        raises(GL_INVALID_OPERATION, || glPushMatrix());
        raises(GL_INVALID_OPERATION, || {
            glOrtho(0.0, 1.0, 0.0, 1.0, 0.0, 1.0)
        });
        raises(GL_INVALID_OPERATION, || glPushAttrib(0));
        raises(GL_INVALID_OPERATION, || glPopClientAttrib());
        raises(GL_INVALID_OPERATION, || glColor3f(0.0, 0.0, 0.0));
        raises(GL_INVALID_OPERATION, || glShadeModel(GL_FLAT));
        raises(GL_INVALID_OPERATION, || {
            glEnableClientState(GL_VERTEX_ARRAY)
        });
        raises(GL_INVALID_OPERATION, || {
            glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, 1)
        });
        raises(GL_INVALID_OPERATION, || glAlphaFunc(GL_LESS, 0.0));
        let mut v = [0.0; 16];
        for pname in [
            GL_MATRIX_MODE,
            GL_MODELVIEW_MATRIX,
            GL_CURRENT_COLOR,
            GL_SHADE_MODEL,
            GL_FOG_HINT,
        ] {
            raises(GL_INVALID_ENUM, || glGetFloatv(pname, v.as_mut_ptr()));
        }
        for cap in [GL_TEXTURE_2D, GL_LIGHTING, GL_ALPHA_TEST, GL_FOG] {
            raises(GL_INVALID_ENUM, || glEnable(cap));
        }
    }
}

#[test]
fn clear_colours_of_integers() {
    let _c = Current::new(Profile::Core);
    // SAFETY: room for four values.
    unsafe {
        glClearColorIiEXT(-3, 2, 1, 0);
        let mut v = [0; 4];
        glGetIntegerv(GL_COLOR_CLEAR_VALUE, v.as_mut_ptr());
        assert_eq!(v, [-3, 2, 1, 0]);
        glClearColor(1.0, 0.0, 0.0, 0.0);
        assert_eq!(floats::<4>(GL_COLOR_CLEAR_VALUE), [1.0, 0.0, 0.0, 0.0]);
    }
}
