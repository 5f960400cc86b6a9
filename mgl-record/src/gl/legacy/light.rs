//! Lights, materials and fog (GL 3.3 compatibility §2.13, §3.11).

use super::LIGHTS;
use super::math::transform;
use super::params::{Owner, check, parameter};
use super::texture_env::{deliver_floats, deliver_ints, slice};
use crate::consts::gl::*;
use crate::context::Gl;
use crate::gl::entry::gl_entry;
use crate::gl::types::*;
use crate::state::sampler::Values;

fn light(name: GLenum) -> Option<Owner> {
    name.checked_sub(GL_LIGHT0)
        .filter(|i| *i < LIGHTS)
        .map(Owner::Light)
}

fn set_light(gl: &mut Gl<'_>, name: GLenum, pname: GLenum, v: Values<'_>) {
    let Some(state) = gl.legacy() else { return };
    let checked = light(name)
        .ok_or(GL_INVALID_ENUM)
        .and_then(|owner| Ok((owner, check(owner, pname, v)?)));
    let model_view = *state.matrices.model_view.top();
    match checked {
        Ok((owner, v)) => {
            // Positions and directions are those of the eye (GL 3.3 compatibility §2.13.1).
            let v = match pname {
                GL_POSITION => transform(&model_view, v),
                GL_SPOT_DIRECTION => {
                    let [x, y, z, _] = transform(&model_view, [v[0], v[1], v[2], 0.0]);
                    [x, y, z, 0.0]
                }
                _ => v,
            };
            state.params.set(owner, pname, v);
        }
        Err(e) => gl.raise(e),
    }
}

/// Sets a parameter of something that there is one of.
fn set_single(gl: &mut Gl<'_>, owner: Owner, pname: GLenum, v: Values<'_>) {
    let Some(state) = gl.legacy() else { return };
    match check(owner, pname, v) {
        Ok(v) => state.params.set(owner, pname, v),
        Err(e) => gl.raise(e),
    }
}

fn sides(face: GLenum) -> Option<&'static [u32]> {
    match face {
        GL_FRONT => Some(&[0]),
        GL_BACK => Some(&[1]),
        GL_FRONT_AND_BACK => Some(&[0, 1]),
        _ => None,
    }
}

fn set_material(gl: &mut Gl<'_>, face: GLenum, pname: GLenum, v: Values<'_>) {
    let Some(state) = gl.legacy() else { return };
    let Some(sides) = sides(face) else {
        return gl.raise(GL_INVALID_ENUM);
    };
    let names: &[GLenum] = match pname {
        GL_AMBIENT_AND_DIFFUSE => &[GL_AMBIENT, GL_DIFFUSE],
        _ => std::slice::from_ref(&pname),
    };
    for &side in sides {
        for &name in names {
            match check(Owner::Material(side), name, v) {
                Ok(v) => state.params.set(Owner::Material(side), name, v),
                Err(e) => return gl.raise(e),
            }
        }
    }
}

/// The values of a parameter, with how many they are and whether they are a colour.
type Found = ([f32; 4], usize, bool);

fn find(gl: &mut Gl<'_>, owner: Option<Owner>, pname: GLenum) -> Option<Found> {
    let state = gl.legacy()?;
    let found = owner.and_then(|owner| {
        let p = parameter(owner, pname)?;
        Some((state.params.get(owner, pname)?, p.count, p.is_color()))
    });
    if found.is_none() {
        gl.raise(GL_INVALID_ENUM);
    }
    found
}

/// glGetMaterial takes one side.
fn side(face: GLenum) -> Option<Owner> {
    match face {
        GL_FRONT => Some(Owner::Material(0)),
        GL_BACK => Some(Owner::Material(1)),
        _ => None,
    }
}

gl_entry! {
    /// Sets a parameter of a light (GL 3.3 compatibility §2.13.1).
    fn glLightf(gl, light: GLenum, pname: GLenum, param: GLfloat) { set_light(gl, light, pname, Values::Float(&[param])) }
    /// Sets a parameter of a light.
    fn glLighti(gl, light: GLenum, pname: GLenum, param: GLint) { set_light(gl, light, pname, Values::Int(&[param])) }
    /// Sets a parameter of a light from memory.
    fn glLightfv(gl, light: GLenum, pname: GLenum, params: *const GLfloat) {
        // SAFETY: the program gives the values of the parameter; so in all entry points below.
        set_light(gl, light, pname, Values::Float(unsafe { slice(Owner::Light(0), pname, params) }))
    }
    /// Sets a parameter of a light from memory.
    fn glLightiv(gl, light: GLenum, pname: GLenum, params: *const GLint) {
        // SAFETY: as above.
        set_light(gl, light, pname, Values::Int(unsafe { slice(Owner::Light(0), pname, params) }))
    }
    /// A parameter of a light.
    fn glGetLightfv(gl, name: GLenum, pname: GLenum, params: *mut GLfloat) {
        if let Some(found) = find(gl, light(name), pname) {
            // SAFETY: as above.
            unsafe { deliver_floats(found, params) }
        }
    }
    /// A parameter of a light.
    fn glGetLightiv(gl, name: GLenum, pname: GLenum, params: *mut GLint) {
        if let Some(found) = find(gl, light(name), pname) {
            // SAFETY: as above.
            unsafe { deliver_ints(found, params) }
        }
    }
    /// Sets a parameter of the lighting model.
    fn glLightModelf(gl, pname: GLenum, param: GLfloat) { set_single(gl, Owner::LightModel, pname, Values::Float(&[param])) }
    /// Sets a parameter of the lighting model.
    fn glLightModeli(gl, pname: GLenum, param: GLint) { set_single(gl, Owner::LightModel, pname, Values::Int(&[param])) }
    /// Sets a parameter of the lighting model from memory.
    fn glLightModelfv(gl, pname: GLenum, params: *const GLfloat) {
        // SAFETY: as above.
        set_single(gl, Owner::LightModel, pname, Values::Float(unsafe { slice(Owner::LightModel, pname, params) }))
    }
    /// Sets a parameter of the lighting model from memory.
    fn glLightModeliv(gl, pname: GLenum, params: *const GLint) {
        // SAFETY: as above.
        set_single(gl, Owner::LightModel, pname, Values::Int(unsafe { slice(Owner::LightModel, pname, params) }))
    }
    /// Sets a parameter of materials.
    fn glMaterialf(gl, face: GLenum, pname: GLenum, param: GLfloat) { set_material(gl, face, pname, Values::Float(&[param])) }
    /// Sets a parameter of materials.
    fn glMateriali(gl, face: GLenum, pname: GLenum, param: GLint) { set_material(gl, face, pname, Values::Int(&[param])) }
    /// Sets a parameter of materials from memory.
    fn glMaterialfv(gl, face: GLenum, pname: GLenum, params: *const GLfloat) {
        // SAFETY: as above.
        set_material(gl, face, pname, Values::Float(unsafe { slice(Owner::Material(0), pname, params) }))
    }
    /// Sets a parameter of materials from memory.
    fn glMaterialiv(gl, face: GLenum, pname: GLenum, params: *const GLint) {
        // SAFETY: as above.
        set_material(gl, face, pname, Values::Int(unsafe { slice(Owner::Material(0), pname, params) }))
    }
    /// A parameter of a material.
    fn glGetMaterialfv(gl, face: GLenum, pname: GLenum, params: *mut GLfloat) {
        if let Some(found) = find(gl, side(face), pname) {
            // SAFETY: as above.
            unsafe { deliver_floats(found, params) }
        }
    }
    /// A parameter of a material.
    fn glGetMaterialiv(gl, face: GLenum, pname: GLenum, params: *mut GLint) {
        if let Some(found) = find(gl, side(face), pname) {
            // SAFETY: as above.
            unsafe { deliver_ints(found, params) }
        }
    }
    /// Which material follows the current colour.
    fn glColorMaterial(gl, face: GLenum, mode: GLenum) {
        let Some(state) = gl.legacy() else { return };
        let known = matches!(mode, GL_AMBIENT | GL_DIFFUSE | GL_SPECULAR | GL_EMISSION | GL_AMBIENT_AND_DIFFUSE);
        if known && sides(face).is_some() {
            state.values.color_material = [face, mode];
        } else {
            gl.raise(GL_INVALID_ENUM);
        }
    }
    /// Sets a parameter of fog (GL 3.3 compatibility §3.11).
    fn glFogf(gl, pname: GLenum, param: GLfloat) { set_single(gl, Owner::Fog, pname, Values::Float(&[param])) }
    /// Sets a parameter of fog.
    fn glFogi(gl, pname: GLenum, param: GLint) { set_single(gl, Owner::Fog, pname, Values::Int(&[param])) }
    /// Sets a parameter of fog from memory.
    fn glFogfv(gl, pname: GLenum, params: *const GLfloat) {
        // SAFETY: as above.
        set_single(gl, Owner::Fog, pname, Values::Float(unsafe { slice(Owner::Fog, pname, params) }))
    }
    /// Sets a parameter of fog from memory.
    fn glFogiv(gl, pname: GLenum, params: *const GLint) {
        // SAFETY: as above.
        set_single(gl, Owner::Fog, pname, Values::Int(unsafe { slice(Owner::Fog, pname, params) }))
    }
}
