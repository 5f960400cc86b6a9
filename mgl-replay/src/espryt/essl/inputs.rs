//! Built-in fragment inputs whose origin is a choice in OpenGL and fixed in ESSL: `gl_FragCoord` and `gl_PointCoord`
//! become private variables, computed from the built-ins at the start.

use super::outputs::{insert_at_start, retarget};
use crate::spv::Spv;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, Op, StorageClass};

/// Location of the plain uniform that holds the framebuffer's height, in pixels.
pub const HEIGHT_LOCATION: u32 = 1;

/// Code that is being written.
struct Code<'s> {
    spv: &'s mut Spv,
    out: Vec<Instruction>,
}

impl Code<'_> {
    fn emit(&mut self, op: Op, ty: u32, operands: Vec<Operand>) -> u32 {
        let id = self.spv.new_id();
        self.out
            .push(Instruction::new(op, Some(ty), Some(id), operands));
        id
    }

    fn load(&mut self, ty: u32, from: u32) -> u32 {
        self.emit(Op::Load, ty, vec![Operand::IdRef(from)])
    }

    /// `from - what` for one component of a vector, or `what - from` when `reversed`.
    fn subtract(&mut self, ty: u32, vector: u32, at: u32, what: u32, reversed: bool) -> u32 {
        let float = self.spv.type_float();
        let part = vec![Operand::IdRef(vector), Operand::LiteralBit32(at)];
        let part = self.emit(Op::CompositeExtract, float, part);
        let (a, b) = if reversed { (what, part) } else { (part, what) };
        let value = self.emit(Op::FSub, float, vec![Operand::IdRef(a), Operand::IdRef(b)]);
        self.emit(
            Op::CompositeInsert,
            ty,
            vec![
                Operand::IdRef(value),
                Operand::IdRef(vector),
                Operand::LiteralBit32(at),
            ],
        )
    }
}

/// Puts a private variable in the place of a built-in input; `compute` makes its value from the input's.
fn replace(spv: &mut Spv, builtin: BuiltIn, compute: impl FnOnce(&mut Code<'_>, u32, u32) -> u32) {
    let wanted = Some(builtin as u32);
    let found = spv.variables().into_iter().find(|v| {
        v.class == StorageClass::Input && spv.decoration(v.id, Decoration::BuiltIn) == wanted
    });
    let Some(input) = found else { return };
    let private = spv.add_variable(StorageClass::Private, input.ty);
    retarget(spv, input.id, private, StorageClass::Private);
    let mut code = Code {
        spv,
        out: Vec::new(),
    };
    let value = code.load(input.ty, input.id);
    let value = compute(&mut code, input.ty, value);
    let store = vec![Operand::IdRef(private), Operand::IdRef(value)];
    code.out
        .push(Instruction::new(Op::Store, None, None, store));
    let out = code.out;
    insert_at_start(spv, out);
}

/// `gl_FragCoord` with its origin at the upper left, or with pixel centres at integers.
pub fn place_frag_coord(spv: &mut Spv, upper_left: bool, integer_centres: bool) {
    spv.module.execution_modes.retain(|inst| {
        inst.operands.get(1) != Some(&Operand::ExecutionMode(ExecutionMode::PixelCenterInteger))
    });
    if !upper_left && !integer_centres {
        return;
    }
    let float = spv.type_float();
    let half = spv.constant_bits(float, 0.5f32.to_bits());
    let height = upper_left.then(|| {
        let uniform = spv.add_variable(StorageClass::UniformConstant, float);
        spv.decorate(uniform, Decoration::Location, HEIGHT_LOCATION);
        spv.rename(uniform, "mgl_height");
        uniform
    });
    replace(spv, BuiltIn::FragCoord, |code, ty, mut value| {
        if let Some(height) = height {
            let height = code.load(float, height);
            value = code.subtract(ty, value, 1, height, true);
        }
        if integer_centres {
            value = code.subtract(ty, value, 0, half, false);
            value = code.subtract(ty, value, 1, half, false);
        }
        value
    });
}

/// `gl_PointCoord` with its origin at the lower left.
pub fn point_coord_from_below(spv: &mut Spv) {
    let float = spv.type_float();
    let one = spv.constant_bits(float, 1f32.to_bits());
    replace(spv, BuiltIn::PointCoord, |code, ty, value| {
        code.subtract(ty, value, 1, one, true)
    });
}
