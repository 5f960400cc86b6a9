//! Shader and program objects, their introspection (GL 3.3 §2.11, §6.1.15; GL 4.6 chapter 7).

use super::debug_label::Labelled;
use super::entry::gl_entry;
use super::text::{copy_text, read_name, write_i32};
use super::types::*;
use crate::consts::gl::*;
use crate::context::Gl;
use crate::shader::{ProfileHint, XfbRequest};
use crate::state::dirty::Programs;
use crate::state::program::{Program, Shader, uniform_by_name};
use crate::state::{Id, Token};
use mgl_core::program::{Reflection, ShaderStage, Uniform, UniformPlace, XfbMode};

/// Highest GLSL version that contexts accept.
const GLSL_VERSION: u32 = 330;

impl Gl<'_> {
    /// The program of a name; raises GL_INVALID_VALUE for a name that is nothing, GL_INVALID_OPERATION for a shader's.
    pub(crate) fn program(&mut self, name: GLuint) -> Option<Id<Program>> {
        let id = self.share.programs.id(name);
        if id.is_none() {
            let shader = self.share.shaders.id(name).is_some();
            self.raise(if shader {
                GL_INVALID_OPERATION
            } else {
                GL_INVALID_VALUE
            });
        }
        id
    }

    fn shader(&mut self, name: GLuint) -> Option<Id<Shader>> {
        let id = self.share.shaders.id(name);
        if id.is_none() {
            let program = self.share.programs.id(name).is_some();
            self.raise(if program {
                GL_INVALID_OPERATION
            } else {
                GL_INVALID_VALUE
            });
        }
        id
    }

    /// The reflection of a linked program; an unlinked one has none, which is an error only where `raise` says so.
    fn reflection(&mut self, name: GLuint) -> Option<&Reflection> {
        let id = self.program(name)?;
        self.share.programs.objects[id].reflection()
    }

    fn linked_program(&mut self, name: GLuint) -> Option<Id<Program>> {
        let id = self.program(name)?;
        if !self.share.programs.objects[id].link_ok() {
            self.raise(GL_INVALID_OPERATION);
            return None;
        }
        Some(id)
    }

    fn use_program(&mut self, id: Option<Id<Program>>) {
        let old = self.ctx.programs.current();
        if old == id {
            return;
        }
        let token: Token<Programs> = self.gens.touch();
        self.ctx.programs.set_current(id, token);
        if let Some(o) = old.filter(|o| self.share.programs.objects[*o].delete_pending()) {
            self.share.delete_program(o, false);
        }
    }
}

/// Largest number of characters among names, with the terminating zero; 0 without names (GL 4.6 §7.13).
fn longest<'n>(names: impl Iterator<Item = &'n str>) -> i32 {
    names.map(|n| n.len() as i32 + 1).max().unwrap_or(0)
}

fn log_length(log: &str) -> i32 {
    if log.is_empty() {
        0
    } else {
        log.len() as i32 + 1
    }
}

gl_entry! {
    /// Makes a shader object (GL 4.6 §7.1).
    fn glCreateShader(gl, kind: GLenum) -> GLuint {
        match ShaderStage::from_gl(kind) {
            Some(stage @ (ShaderStage::Vertex | ShaderStage::Geometry | ShaderStage::Fragment)) => gl.share.create_shader(stage),
            _ => { gl.raise(GL_INVALID_ENUM); 0 }
        }
    }
    /// Ends a shader object, or flags it while it is attached (GL 4.6 §7.1).
    fn glDeleteShader(gl, shader: GLuint) {
        if shader != 0
            && let Some(id) = gl.shader(shader) {
                gl.share.delete_shader(id);
            }
    }
    /// Whether a name is a shader's.
    fn glIsShader(gl, shader: GLuint) -> GLboolean { u8::from(gl.share.shaders.id(shader).is_some()) }
    /// Replaces a shader's source (GL 4.6 §7.1).
    fn glShaderSource(gl, shader: GLuint, count: GLsizei, string: *const *const GLchar, length: *const GLint) {
        let Some(id) = gl.shader(shader) else { return };
        if count < 0 { return gl.raise(GL_INVALID_VALUE) }
        let mut source = Vec::new();
        for i in 0..count as usize {
            // SAFETY: the caller gives `count` strings, and lengths where `length` is not null; a negative length and
            // a null list mean zero-terminated strings (GL 4.6 §7.1).
            let bytes = unsafe {
                let text = *string.add(i);
                if text.is_null() { continue }
                let len = if length.is_null() { -1 } else { *length.add(i) };
                match usize::try_from(len) {
                    Ok(n) => std::slice::from_raw_parts(text.cast::<u8>(), n),
                    Err(_) => std::ffi::CStr::from_ptr(text).to_bytes(),
                }
            };
            source.extend_from_slice(bytes);
        }
        gl.share.shaders.objects[id].set_source(source);
    }
    /// Compiles a shader (GL 4.6 §7.1).
    fn glCompileShader(gl, shader: GLuint) {
        let core = gl.is_core();
        if let Some(id) = gl.shader(shader) {
            gl.share.shaders.objects[id].compile(ProfileHint { core, max_version: GLSL_VERSION });
            gl.tell_compiler(1, |share| {
                share.shaders.objects[id].compiled().filter(|c| !c.ok).map(|c| c.info_log.as_str())
            });
        }
    }
    /// Parameters of a shader (GL 4.6 §7.13).
    fn glGetShaderiv(gl, shader: GLuint, pname: GLenum, params: *mut GLint) {
        let Some(id) = gl.shader(shader) else { return };
        let s = &gl.share.shaders.objects[id];
        let value = match pname {
            GL_SHADER_TYPE => s.stage.to_gl() as i32,
            GL_DELETE_STATUS => i32::from(s.delete_pending()),
            GL_COMPILE_STATUS => i32::from(s.compiled().is_some_and(|c| c.ok)),
            GL_INFO_LOG_LENGTH => s.compiled().map_or(0, |c| log_length(&c.info_log)),
            GL_SHADER_SOURCE_LENGTH => if s.source().is_empty() { 0 } else { s.source().len() as i32 + 1 },
            _ => return gl.raise(GL_INVALID_ENUM),
        };
        // SAFETY: the caller gives room for one value.
        unsafe { write_i32(params, value) }
    }
    /// A shader's log.
    fn glGetShaderInfoLog(gl, shader: GLuint, size: GLsizei, length: *mut GLsizei, log: *mut GLchar) {
        let Some(id) = gl.shader(shader) else { return };
        if size < 0 { return gl.raise(GL_INVALID_VALUE) }
        let text = gl.share.shaders.objects[id].compiled().map_or("", |c| c.info_log.as_str());
        // SAFETY: the caller gives room for `size` characters.
        unsafe { copy_text(text.as_bytes(), size, length, log) }
    }
    /// A shader's source as given.
    fn glGetShaderSource(gl, shader: GLuint, size: GLsizei, length: *mut GLsizei, source: *mut GLchar) {
        let Some(id) = gl.shader(shader) else { return };
        if size < 0 { return gl.raise(GL_INVALID_VALUE) }
        // SAFETY: the caller gives room for `size` characters.
        unsafe { copy_text(gl.share.shaders.objects[id].source(), size, length, source) }
    }
    /// Makes a program object (GL 4.6 §7.3).
    fn glCreateProgram(gl) -> GLuint { gl.share.create_program() }
    /// Ends a program object, or flags it while it is in use.
    fn glDeleteProgram(gl, program: GLuint) {
        if program != 0
            && let Some(id) = gl.program(program) {
                let in_use = gl.ctx.programs.current() == Some(id);
                gl.share.delete_program(id, in_use);
            }
    }
    /// Whether a name is a program's.
    fn glIsProgram(gl, program: GLuint) -> GLboolean { u8::from(gl.share.programs.id(program).is_some()) }
    /// Attaches a shader (GL 4.6 §7.3).
    fn glAttachShader(gl, program: GLuint, shader: GLuint) {
        let (Some(p), Some(s)) = (gl.program(program), gl.shader(shader)) else { return };
        if !gl.share.attach(p, s) { gl.raise(GL_INVALID_OPERATION) }
    }
    /// Detaches a shader.
    fn glDetachShader(gl, program: GLuint, shader: GLuint) {
        let (Some(p), Some(s)) = (gl.program(program), gl.shader(shader)) else { return };
        if !gl.share.detach(p, s) { gl.raise(GL_INVALID_OPERATION) }
    }
    /// The shaders attached to a program.
    fn glGetAttachedShaders(gl, program: GLuint, max: GLsizei, count: *mut GLsizei, shaders: *mut GLuint) {
        let Some(id) = gl.program(program) else { return };
        let Ok(max) = usize::try_from(max) else { return gl.raise(GL_INVALID_VALUE) };
        let names: Vec<u32> = gl.share.programs.objects[id].attached().iter().map(|s| gl.share.shaders.objects[*s].name).collect();
        let n = names.len().min(max);
        // SAFETY: the caller gives room for `max` names and, if wanted, for the count.
        unsafe {
            if !shaders.is_null() { std::ptr::copy_nonoverlapping(names.as_ptr(), shaders, n) }
            if !count.is_null() { *count = n as i32 }
        }
    }
    /// Links a program (GL 4.6 §7.3).
    fn glLinkProgram(gl, program: GLuint) {
        let Some(id) = gl.program(program) else { return };
        if gl.ctx.stream_output.active().is_some_and(|c| c.program == id) { return gl.raise(GL_INVALID_OPERATION) }
        let token = gl.gens.touch();
        gl.share.link(id, gl.pipe, token);
        gl.push_label(Labelled::Program, program);
        gl.tell_compiler(2, |share| {
            let p = &share.programs.objects[id];
            (!p.link_ok()).then(|| p.info_log())
        });
        let range = gl.ctx.render.dynamic().viewports[0];
        gl.share.programs.objects[id].set_depth_range(range.near.0, range.far.0);
    }
    /// Makes a program the current one (GL 4.6 §7.3).
    fn glUseProgram(gl, program: GLuint) {
        if gl.ctx.stream_output.is_active() { return gl.raise(GL_INVALID_OPERATION) }
        if program == 0 { return gl.use_program(None) }
        if let Some(id) = gl.linked_program(program) { gl.use_program(Some(id)) }
    }
    /// Checks whether a program could run (GL 4.6 §11.1.3.11).
    fn glValidateProgram(gl, program: GLuint) {
        if let Some(id) = gl.program(program) { gl.share.programs.objects[id].validate() }
    }
    /// Parameters of a program (GL 4.6 §7.13).
    fn glGetProgramiv(gl, program: GLuint, pname: GLenum, params: *mut GLint) {
        let Some(id) = gl.program(program) else { return };
        let p = &gl.share.programs.objects[id];
        let r = p.reflection();
        let value = match pname {
            GL_DELETE_STATUS => i32::from(p.delete_pending()),
            GL_LINK_STATUS => i32::from(p.link_ok()),
            GL_VALIDATE_STATUS => i32::from(p.validate_ok()),
            GL_INFO_LOG_LENGTH => log_length(p.info_log()),
            GL_ATTACHED_SHADERS => p.attached().len() as i32,
            GL_ACTIVE_ATTRIBUTES => r.map_or(0, |r| r.attributes.len() as i32),
            GL_ACTIVE_ATTRIBUTE_MAX_LENGTH => r.map_or(0, |r| longest(r.attributes.iter().map(|a| a.name.as_str()))),
            GL_ACTIVE_UNIFORMS => r.map_or(0, |r| r.uniforms.len() as i32),
            GL_ACTIVE_UNIFORM_MAX_LENGTH => r.map_or(0, |r| longest(r.uniforms.iter().map(|u| u.name.as_str()))),
            GL_ACTIVE_UNIFORM_BLOCKS => r.map_or(0, |r| r.uniform_blocks.len() as i32),
            GL_ACTIVE_UNIFORM_BLOCK_MAX_NAME_LENGTH => r.map_or(0, |r| longest(r.uniform_blocks.iter().map(|b| b.name.as_str()))),
            GL_TRANSFORM_FEEDBACK_BUFFER_MODE => match r.and_then(|r| r.xfb.as_ref()).map(|x| x.mode) {
                Some(XfbMode::Separate) => GL_SEPARATE_ATTRIBS as i32,
                _ => GL_INTERLEAVED_ATTRIBS as i32,
            },
            GL_TRANSFORM_FEEDBACK_VARYINGS => r.and_then(|r| r.xfb.as_ref()).map_or(0, |x| x.varyings.len() as i32),
            GL_TRANSFORM_FEEDBACK_VARYING_MAX_LENGTH => r.and_then(|r| r.xfb.as_ref()).map_or(0, |x| longest(x.varyings.iter().map(|v| v.name.as_str()))),
            GL_GEOMETRY_VERTICES_OUT | GL_GEOMETRY_INPUT_TYPE | GL_GEOMETRY_OUTPUT_TYPE => {
                match r.and_then(|r| r.geometry.as_ref()) {
                    Some(g) if pname == GL_GEOMETRY_VERTICES_OUT => g.max_vertices as i32,
                    Some(g) if pname == GL_GEOMETRY_INPUT_TYPE => g.input.to_gl() as i32,
                    Some(g) => g.output.to_gl() as i32,
                    None => return gl.raise(GL_INVALID_OPERATION),
                }
            }
            _ => return gl.raise(GL_INVALID_ENUM),
        };
        // SAFETY: the caller gives room for one value.
        unsafe { write_i32(params, value) }
    }
    /// A program's log.
    fn glGetProgramInfoLog(gl, program: GLuint, size: GLsizei, length: *mut GLsizei, log: *mut GLchar) {
        let Some(id) = gl.program(program) else { return };
        if size < 0 { return gl.raise(GL_INVALID_VALUE) }
        // SAFETY: the caller gives room for `size` characters.
        unsafe { copy_text(gl.share.programs.objects[id].info_log().as_bytes(), size, length, log) }
    }
    /// Asks for an attribute's location at the next link (GL 4.6 §11.1.1).
    fn glBindAttribLocation(gl, program: GLuint, index: GLuint, name: *const GLchar) {
        let Some(id) = gl.program(program) else { return };
        // SAFETY: the caller gives a zero-terminated name.
        let Some(name) = (unsafe { read_name(name) }) else { return };
        if index >= super::limits::MAX_VERTEX_ATTRIBS { return gl.raise(GL_INVALID_VALUE) }
        if name.starts_with("gl_") { return gl.raise(GL_INVALID_OPERATION) }
        gl.share.programs.objects[id].options_mut().attrib_bindings.insert(name, index);
    }
    /// The location of an attribute, -1 for none.
    fn glGetAttribLocation(gl, program: GLuint, name: *const GLchar) -> GLint {
        let Some(id) = gl.linked_program(program) else { return -1 };
        // SAFETY: the caller gives a zero-terminated name.
        let Some(name) = (unsafe { read_name(name) }) else { return -1 };
        let Some(r) = gl.share.programs.objects[id].reflection() else { return -1 };
        r.attributes.iter().find(|a| a.name == name || a.name.strip_suffix("[0]") == Some(&name)).map_or(-1, |a| a.location)
    }
    /// One active attribute (GL 4.6 §11.1.1).
    fn glGetActiveAttrib(gl, program: GLuint, index: GLuint, size: GLsizei, length: *mut GLsizei, count: *mut GLint, kind: *mut GLenum, name: *mut GLchar) {
        if size < 0 { return gl.raise(GL_INVALID_VALUE) }
        let Some(a) = gl.reflection(program).and_then(|r| r.attributes.get(index as usize)).cloned() else { return gl.raise(GL_INVALID_VALUE) };
        // SAFETY: the caller gives room for the values and `size` characters.
        unsafe {
            copy_text(a.name.as_bytes(), size, length, name);
            write_i32(count, a.size as i32);
            write_i32(kind.cast(), a.ty.0 as i32);
        }
    }
    /// Asks for a fragment output's location at the next link (GL 4.6 §15.2.3).
    fn glBindFragDataLocation(gl, program: GLuint, color: GLuint, name: *const GLchar) {
        // SAFETY: as for the caller.
        unsafe { bind_frag_data(gl, program, color, 0, name) }
    }
    /// Asks for a fragment output's location and index at the next link.
    fn glBindFragDataLocationIndexed(gl, program: GLuint, color: GLuint, index: GLuint, name: *const GLchar) {
        // SAFETY: as for the caller.
        unsafe { bind_frag_data(gl, program, color, index, name) }
    }
    /// The location of a fragment output, -1 for none.
    fn glGetFragDataLocation(gl, program: GLuint, name: *const GLchar) -> GLint {
        // SAFETY: as for the caller.
        unsafe { frag_output(gl, program, name) }.map_or(-1, |(location, _)| location)
    }
    /// The index of a fragment output, -1 for none.
    fn glGetFragDataIndex(gl, program: GLuint, name: *const GLchar) -> GLint {
        // SAFETY: as for the caller.
        unsafe { frag_output(gl, program, name) }.map_or(-1, |(_, index)| index)
    }
    /// The location of a uniform, -1 for none (GL 4.6 §7.6).
    fn glGetUniformLocation(gl, program: GLuint, name: *const GLchar) -> GLint {
        let Some(id) = gl.linked_program(program) else { return -1 };
        // SAFETY: the caller gives a zero-terminated name.
        let Some(name) = (unsafe { read_name(name) }) else { return -1 };
        gl.share.programs.objects[id].uniform_location(&name)
    }
    /// One active uniform (GL 4.6 §7.6).
    fn glGetActiveUniform(gl, program: GLuint, index: GLuint, size: GLsizei, length: *mut GLsizei, count: *mut GLint, kind: *mut GLenum, name: *mut GLchar) {
        if size < 0 { return gl.raise(GL_INVALID_VALUE) }
        let Some(u) = gl.reflection(program).and_then(|r| r.uniforms.get(index as usize)).cloned() else { return gl.raise(GL_INVALID_VALUE) };
        // SAFETY: the caller gives room for the values and `size` characters.
        unsafe {
            copy_text(u.name.as_bytes(), size, length, name);
            write_i32(count, u.size as i32);
            write_i32(kind.cast(), u.ty.0 as i32);
        }
    }
    /// The name of an active uniform.
    fn glGetActiveUniformName(gl, program: GLuint, index: GLuint, size: GLsizei, length: *mut GLsizei, name: *mut GLchar) {
        if size < 0 { return gl.raise(GL_INVALID_VALUE) }
        let Some(u) = gl.reflection(program).and_then(|r| r.uniforms.get(index as usize)).cloned() else { return gl.raise(GL_INVALID_VALUE) };
        // SAFETY: the caller gives room for `size` characters.
        unsafe { copy_text(u.name.as_bytes(), size, length, name) }
    }
    /// Indices of uniforms by name (GL 4.6 §7.6).
    fn glGetUniformIndices(gl, program: GLuint, count: GLsizei, names: *const *const GLchar, indices: *mut GLuint) {
        let Some(id) = gl.program(program) else { return };
        if count < 0 { return gl.raise(GL_INVALID_VALUE) }
        let r = gl.share.programs.objects[id].reflection();
        for i in 0..count as usize {
            // SAFETY: the caller gives `count` zero-terminated names and room for as many indices.
            unsafe {
                let found = read_name(*names.add(i)).and_then(|n| {
                    let r = r?;
                    let (u, element) = uniform_by_name(r, &n)?;
                    (element == 0).then(|| r.uniforms.iter().position(|x| std::ptr::eq(x, u))).flatten()
                });
                *indices.add(i) = found.map_or(GL_INVALID_INDEX, |i| i as u32);
            }
        }
    }
    /// Parameters of active uniforms (GL 4.6 §7.6).
    fn glGetActiveUniformsiv(gl, program: GLuint, count: GLsizei, indices: *const GLuint, pname: GLenum, params: *mut GLint) {
        let Some(id) = gl.program(program) else { return };
        let Ok(count) = usize::try_from(count) else { return gl.raise(GL_INVALID_VALUE) };
        // SAFETY: the caller gives `count` indices and room for as many values.
        let indices = if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(indices, count) } };
        let uniforms = gl.share.programs.objects[id].reflection().map_or(&[][..], |r| &r.uniforms);
        if indices.iter().any(|i| *i as usize >= uniforms.len()) { return gl.raise(GL_INVALID_VALUE) }
        let values: Option<Vec<i32>> = indices.iter().map(|i| uniform_parameter(&uniforms[*i as usize], pname)).collect();
        match values {
            // SAFETY: as above.
            Some(v) => unsafe { std::ptr::copy_nonoverlapping(v.as_ptr(), params, v.len()) },
            None => gl.raise(GL_INVALID_ENUM),
        }
    }
    /// The index of a uniform block (GL 4.6 §7.6.3).
    fn glGetUniformBlockIndex(gl, program: GLuint, name: *const GLchar) -> GLuint {
        // SAFETY: the caller gives a zero-terminated name.
        let Some(name) = (unsafe { read_name(name) }) else { return GL_INVALID_INDEX };
        let blocks = gl.reflection(program).map_or(&[][..], |r| &r.uniform_blocks);
        blocks.iter().position(|b| b.name == name || b.name.strip_suffix("[0]") == Some(&name)).map_or(GL_INVALID_INDEX, |i| i as u32)
    }
    /// Parameters of a uniform block (GL 4.6 §7.6.3).
    fn glGetActiveUniformBlockiv(gl, program: GLuint, index: GLuint, pname: GLenum, params: *mut GLint) {
        let Some(id) = gl.program(program) else { return };
        let p = &gl.share.programs.objects[id];
        let Some((b, binding)) = p.reflection().and_then(|r| r.uniform_blocks.get(index as usize)).zip(p.blocks().get(index as usize)) else { return gl.raise(GL_INVALID_VALUE) };
        let stage = |s: ShaderStage| i32::from(b.stages.contains(s));
        let value = match pname {
            GL_UNIFORM_BLOCK_BINDING => *binding as i32,
            GL_UNIFORM_BLOCK_DATA_SIZE => b.size as i32,
            GL_UNIFORM_BLOCK_NAME_LENGTH => b.name.len() as i32 + 1,
            GL_UNIFORM_BLOCK_ACTIVE_UNIFORMS => b.members.len() as i32,
            GL_UNIFORM_BLOCK_ACTIVE_UNIFORM_INDICES => {
                for (i, m) in b.members.iter().enumerate() {
                    // SAFETY: the caller gives room for as many values as the block has members.
                    unsafe { *params.add(i) = *m as i32 }
                }
                return;
            }
            GL_UNIFORM_BLOCK_REFERENCED_BY_VERTEX_SHADER => stage(ShaderStage::Vertex),
            GL_UNIFORM_BLOCK_REFERENCED_BY_GEOMETRY_SHADER => stage(ShaderStage::Geometry),
            GL_UNIFORM_BLOCK_REFERENCED_BY_FRAGMENT_SHADER => stage(ShaderStage::Fragment),
            _ => return gl.raise(GL_INVALID_ENUM),
        };
        // SAFETY: the caller gives room for one value.
        unsafe { write_i32(params, value) }
    }
    /// The name of a uniform block.
    fn glGetActiveUniformBlockName(gl, program: GLuint, index: GLuint, size: GLsizei, length: *mut GLsizei, name: *mut GLchar) {
        if size < 0 { return gl.raise(GL_INVALID_VALUE) }
        let Some(b) = gl.reflection(program).and_then(|r| r.uniform_blocks.get(index as usize)).cloned() else { return gl.raise(GL_INVALID_VALUE) };
        // SAFETY: the caller gives room for `size` characters.
        unsafe { copy_text(b.name.as_bytes(), size, length, name) }
    }
    /// Binds a uniform block to a binding point (GL 4.6 §7.6.3).
    fn glUniformBlockBinding(gl, program: GLuint, index: GLuint, binding: GLuint) {
        let Some(id) = gl.program(program) else { return };
        let gens = &mut *gl.gens;
        let p = &mut gl.share.programs.objects[id];
        if index as usize >= p.blocks().len() || binding >= super::limits::MAX_UNIFORM_BUFFER_BINDINGS { return gl.raise(GL_INVALID_VALUE) }
        p.set_block_binding(index as usize, binding, || gens.touch());
    }
    /// Varyings to capture, from the next link on (GL 4.6 §11.1.2.1).
    fn glTransformFeedbackVaryings(gl, program: GLuint, count: GLsizei, names: *const *const GLchar, mode: GLenum) {
        let Some(id) = gl.program(program) else { return };
        if count < 0 { return gl.raise(GL_INVALID_VALUE) }
        let mode = match mode {
            GL_INTERLEAVED_ATTRIBS => XfbMode::Interleaved,
            GL_SEPARATE_ATTRIBS if count as u32 > mgl_core::pipe::MAX_STREAM_OUTPUT_BUFFERS => return gl.raise(GL_INVALID_VALUE),
            GL_SEPARATE_ATTRIBS => XfbMode::Separate,
            _ => return gl.raise(GL_INVALID_ENUM),
        };
        // SAFETY: the caller gives `count` zero-terminated names.
        let varyings: Vec<String> = (0..count as usize).filter_map(|i| unsafe { read_name(*names.add(i)) }).collect();
        gl.share.programs.objects[id].set_xfb((!varyings.is_empty()).then_some(XfbRequest { varyings, mode }));
    }
    /// One captured varying (GL 4.6 §11.1.2.1).
    fn glGetTransformFeedbackVarying(gl, program: GLuint, index: GLuint, size: GLsizei, length: *mut GLsizei, count: *mut GLsizei, kind: *mut GLenum, name: *mut GLchar) {
        let Some(id) = gl.linked_program(program) else { return };
        if size < 0 { return gl.raise(GL_INVALID_VALUE) }
        let r = gl.share.programs.objects[id].reflection();
        let Some(v) = r.and_then(|r| r.xfb.as_ref()).and_then(|x| x.varyings.get(index as usize)).cloned() else { return gl.raise(GL_INVALID_VALUE) };
        // SAFETY: the caller gives room for the values and `size` characters.
        unsafe {
            copy_text(v.name.as_bytes(), size, length, name);
            write_i32(count, v.size as i32);
            write_i32(kind.cast(), v.ty.0 as i32);
        }
    }
}

/// # Safety
///
/// `name` is a zero-terminated string.
unsafe fn bind_frag_data(
    gl: &mut Gl<'_>,
    program: GLuint,
    color: GLuint,
    index: GLuint,
    name: *const GLchar,
) {
    let Some(id) = gl.program(program) else {
        return;
    };
    // SAFETY: by this function's contract.
    let Some(name) = (unsafe { read_name(name) }) else {
        return;
    };
    let limit = if index == 0 {
        super::limits::MAX_DRAW_BUFFERS
    } else {
        super::limits::MAX_DUAL_SOURCE_DRAW_BUFFERS
    };
    if index > 1 || color >= limit {
        return gl.raise(GL_INVALID_VALUE);
    }
    if name.starts_with("gl_") {
        return gl.raise(GL_INVALID_OPERATION);
    }
    gl.share.programs.objects[id]
        .options_mut()
        .frag_data_bindings
        .insert(name, (color, index));
}

/// Location and index of a fragment output.
///
/// # Safety
///
/// `name` is a zero-terminated string.
unsafe fn frag_output(gl: &mut Gl<'_>, program: GLuint, name: *const GLchar) -> Option<(i32, i32)> {
    let id = gl.linked_program(program)?;
    // SAFETY: by this function's contract. Built-in outputs have no locations (GL 4.6 §15.2.3).
    let name = unsafe { read_name(name) }.filter(|n| !n.starts_with("gl_"))?;
    let r = gl.share.programs.objects[id].reflection()?;
    let (base, element) = match name.strip_suffix(']').and_then(|n| n.rsplit_once('[')) {
        Some((b, n)) => (b, n.parse::<u32>().ok()?),
        None => (name.as_str(), 0),
    };
    let o = r
        .outputs
        .iter()
        .find(|o| o.name == base && element < o.size)?;
    Some(((o.location + element) as i32, o.index as i32))
}

/// A parameter of glGetActiveUniformsiv; `None` for an unknown one (GL 4.6 table 7.6).
fn uniform_parameter(u: &Uniform, pname: GLenum) -> Option<i32> {
    let in_block = matches!(u.place, UniformPlace::Block(_));
    let matrix = u.ty.numeric().is_some_and(|s| s.columns > 1);
    Some(match pname {
        GL_UNIFORM_TYPE => u.ty.0 as i32,
        GL_UNIFORM_SIZE => u.size as i32,
        GL_UNIFORM_NAME_LENGTH => u.name.len() as i32 + 1,
        GL_UNIFORM_BLOCK_INDEX => match u.place {
            UniformPlace::Block(b) => b as i32,
            _ => -1,
        },
        GL_UNIFORM_OFFSET => {
            if in_block {
                u.offset as i32
            } else {
                -1
            }
        }
        GL_UNIFORM_ARRAY_STRIDE => {
            if in_block {
                u.array_stride as i32
            } else {
                -1
            }
        }
        GL_UNIFORM_MATRIX_STRIDE => match (in_block, matrix) {
            (false, _) => -1,
            (true, false) => 0,
            (true, true) => u.matrix_stride as i32,
        },
        GL_UNIFORM_IS_ROW_MAJOR => i32::from(in_block && matrix && u.row_major),
        _ => return None,
    })
}
