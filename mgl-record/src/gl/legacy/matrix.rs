//! Matrix stacks (GL 3.3 compatibility §2.12.1).

use super::math::{IDENTITY, Matrix, multiply, transpose};
use super::{TEXTURE_COORDS, read};
use crate::consts::gl::*;
use crate::context::Gl;
use crate::gl::entry::gl_entry;
use crate::gl::types::*;

/// GL_MAX_MODELVIEW_STACK_DEPTH and GL_MAX_PROJECTION_STACK_DEPTH.
pub const DEPTH: usize = 32;
/// GL_MAX_TEXTURE_STACK_DEPTH.
pub const TEXTURE_DEPTH: usize = 10;

/// A stack, never empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    below: Vec<Matrix>,
    top: Matrix,
    limit: usize,
}

impl Stack {
    fn new(limit: usize) -> Self {
        Self {
            below: Vec::new(),
            top: IDENTITY,
            limit,
        }
    }
    /// The matrix in effect.
    #[must_use]
    pub fn top(&self) -> &Matrix {
        &self.top
    }
    /// Matrices on the stack.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.below.len() + 1
    }
    fn push(&mut self) -> Result<(), GLenum> {
        if self.depth() == self.limit {
            return Err(GL_STACK_OVERFLOW);
        }
        self.below.push(self.top);
        Ok(())
    }
    fn pop(&mut self) -> Result<(), GLenum> {
        self.top = self.below.pop().ok_or(GL_STACK_UNDERFLOW)?;
        Ok(())
    }
}

/// A context's stacks.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrices {
    /// GL_MATRIX_MODE.
    pub mode: GLenum,
    /// GL_MODELVIEW.
    pub model_view: Stack,
    /// GL_PROJECTION.
    pub projection: Stack,
    /// GL_TEXTURE, by unit.
    pub texture: [Stack; TEXTURE_COORDS],
}

impl Default for Matrices {
    fn default() -> Self {
        Self {
            mode: GL_MODELVIEW,
            model_view: Stack::new(DEPTH),
            projection: Stack::new(DEPTH),
            texture: std::array::from_fn(|_| Stack::new(TEXTURE_DEPTH)),
        }
    }
}

impl Matrices {
    /// The stack that matrix commands act on; `None` for a texture unit without one.
    fn current(&mut self, unit: u32) -> Option<&mut Stack> {
        match self.mode {
            GL_MODELVIEW => Some(&mut self.model_view),
            GL_PROJECTION => Some(&mut self.projection),
            _ => self.texture.get_mut(unit as usize),
        }
    }
}

/// Acts on the current stack.
fn on_stack(gl: &mut Gl<'_>, act: impl FnOnce(&mut Stack) -> Result<(), GLenum>) {
    let unit = gl.ctx.textures.active();
    let Some(state) = gl.legacy() else { return };
    let result = match state.matrices.current(unit) {
        Some(stack) => act(stack),
        None => Err(GL_INVALID_OPERATION),
    };
    if let Err(e) = result {
        gl.raise(e);
    }
}

fn load(gl: &mut Gl<'_>, m: Matrix) {
    on_stack(gl, |s| {
        s.top = m;
        Ok(())
    });
}

fn mult(gl: &mut Gl<'_>, m: &Matrix) {
    on_stack(gl, |s| {
        s.top = multiply(&s.top, m);
        Ok(())
    });
}

/// A turn by degrees about an axis of any length.
fn rotation(angle: f64, axis: [f64; 3]) -> Matrix {
    let length = axis.iter().map(|c| c * c).sum::<f64>().sqrt();
    if length == 0.0 {
        return IDENTITY;
    }
    let [x, y, z] = axis.map(|c| c / length);
    let (s, c) = angle.to_radians().sin_cos();
    let d = 1.0 - c;
    [
        x * x * d + c,
        y * x * d + z * s,
        x * z * d - y * s,
        0.0,
        x * y * d - z * s,
        y * y * d + c,
        y * z * d + x * s,
        0.0,
        x * z * d + y * s,
        y * z * d - x * s,
        z * z * d + c,
        0.0,
        0.0,
        0.0,
        0.0,
        1.0,
    ]
    .map(|v| v as f32)
}

fn scaling(v: [f64; 3]) -> Matrix {
    let mut m = IDENTITY;
    for (i, v) in v.into_iter().enumerate() {
        m[5 * i] = v as f32;
    }
    m
}

fn translation(v: [f64; 3]) -> Matrix {
    let mut m = IDENTITY;
    for (i, v) in v.into_iter().enumerate() {
        m[12 + i] = v as f32;
    }
    m
}

/// Left, right, bottom, top, near and far of a volume.
type Volume = [f64; 6];

fn orthographic([l, r, b, t, n, f]: Volume) -> Option<Matrix> {
    if l == r || b == t || n == f {
        return None;
    }
    let mut m = scaling([2.0 / (r - l), 2.0 / (t - b), -2.0 / (f - n)]);
    let at = [-(r + l) / (r - l), -(t + b) / (t - b), -(f + n) / (f - n)];
    m[12..15].copy_from_slice(&at.map(|v| v as f32));
    Some(m)
}

fn perspective([l, r, b, t, n, f]: Volume) -> Option<Matrix> {
    if l == r || b == t || n == f || n <= 0.0 || f <= 0.0 {
        return None;
    }
    let mut m = scaling([2.0 * n / (r - l), 2.0 * n / (t - b), -(f + n) / (f - n)]);
    m[8] = ((r + l) / (r - l)) as f32;
    m[9] = ((t + b) / (t - b)) as f32;
    m[11] = -1.0;
    m[14] = (-2.0 * f * n / (f - n)) as f32;
    m[15] = 0.0;
    Some(m)
}

/// Multiplies by a projection, or raises GL_INVALID_VALUE where the volume has none.
fn project(gl: &mut Gl<'_>, m: Option<Matrix>) {
    if gl.legacy().is_none() {
        return;
    }
    match m {
        Some(m) => mult(gl, &m),
        None => gl.raise(GL_INVALID_VALUE),
    }
}

gl_entry! {
    /// Selects a stack (GL 3.3 compatibility §2.12.1).
    fn glMatrixMode(gl, mode: GLenum) {
        let Some(state) = gl.legacy() else { return };
        match mode {
            GL_MODELVIEW | GL_PROJECTION | GL_TEXTURE => state.matrices.mode = mode,
            _ => gl.raise(GL_INVALID_ENUM),
        }
    }
    /// Copies the top matrix onto the stack; GL_STACK_OVERFLOW when that is full.
    fn glPushMatrix(gl) { on_stack(gl, Stack::push) }
    /// Takes the top matrix off; GL_STACK_UNDERFLOW when it is the last.
    fn glPopMatrix(gl) { on_stack(gl, Stack::pop) }
    /// Replaces the top matrix by the identity.
    fn glLoadIdentity(gl) { load(gl, IDENTITY) }
    /// Replaces the top matrix.
    fn glLoadMatrixf(gl, m: *const GLfloat) {
        // SAFETY: the program gives sixteen values; so in all entry points below.
        load(gl, unsafe { read(m) })
    }
    /// Replaces the top matrix.
    fn glLoadMatrixd(gl, m: *const GLdouble) {
        // SAFETY: as above.
        load(gl, unsafe { read::<GLdouble, 16>(m) }.map(|v| v as f32))
    }
    /// Replaces the top matrix by one in rows.
    fn glLoadTransposeMatrixf(gl, m: *const GLfloat) {
        // SAFETY: as above.
        load(gl, transpose(&unsafe { read(m) }))
    }
    /// Replaces the top matrix by one in rows.
    fn glLoadTransposeMatrixd(gl, m: *const GLdouble) {
        // SAFETY: as above.
        load(gl, transpose(&unsafe { read::<GLdouble, 16>(m) }.map(|v| v as f32)))
    }
    /// Multiplies the top matrix.
    fn glMultMatrixf(gl, m: *const GLfloat) {
        // SAFETY: as above.
        mult(gl, &unsafe { read(m) })
    }
    /// Multiplies the top matrix.
    fn glMultMatrixd(gl, m: *const GLdouble) {
        // SAFETY: as above.
        mult(gl, &unsafe { read::<GLdouble, 16>(m) }.map(|v| v as f32))
    }
    /// Multiplies the top matrix by one in rows.
    fn glMultTransposeMatrixf(gl, m: *const GLfloat) {
        // SAFETY: as above.
        mult(gl, &transpose(&unsafe { read(m) }))
    }
    /// Multiplies the top matrix by one in rows.
    fn glMultTransposeMatrixd(gl, m: *const GLdouble) {
        // SAFETY: as above.
        mult(gl, &transpose(&unsafe { read::<GLdouble, 16>(m) }.map(|v| v as f32)))
    }
    /// Turns.
    fn glRotatef(gl, angle: GLfloat, x: GLfloat, y: GLfloat, z: GLfloat) {
        mult(gl, &rotation(angle.into(), [x, y, z].map(f64::from)))
    }
    /// Turns.
    fn glRotated(gl, angle: GLdouble, x: GLdouble, y: GLdouble, z: GLdouble) { mult(gl, &rotation(angle, [x, y, z])) }
    /// Scales.
    fn glScalef(gl, x: GLfloat, y: GLfloat, z: GLfloat) { mult(gl, &scaling([x, y, z].map(f64::from))) }
    /// Scales.
    fn glScaled(gl, x: GLdouble, y: GLdouble, z: GLdouble) { mult(gl, &scaling([x, y, z])) }
    /// Moves.
    fn glTranslatef(gl, x: GLfloat, y: GLfloat, z: GLfloat) { mult(gl, &translation([x, y, z].map(f64::from))) }
    /// Moves.
    fn glTranslated(gl, x: GLdouble, y: GLdouble, z: GLdouble) { mult(gl, &translation([x, y, z])) }
    /// Parallel projection; GL_INVALID_VALUE for an empty volume.
    fn glOrtho(gl, l: GLdouble, r: GLdouble, b: GLdouble, t: GLdouble, n: GLdouble, f: GLdouble) {
        project(gl, orthographic([l, r, b, t, n, f]))
    }
    /// Perspective; GL_INVALID_VALUE for an empty volume or one that is not before the eye.
    fn glFrustum(gl, l: GLdouble, r: GLdouble, b: GLdouble, t: GLdouble, n: GLdouble, f: GLdouble) {
        project(gl, perspective([l, r, b, t, n, f]))
    }
}
