//! Cube maps whose faces are filtered alone, without TEXTURE_CUBE_MAP_SEAMLESS (GL 4.6 §8.14.2): OpenGL ES filters across
//! the edges always, so the direction is moved inside its face, to where no filter reaches over the edge. That is half a
//! texel: of the level that the look-up names, or else of the base level.

use super::bias::Rewriter;
use crate::spv::edit::add_capability;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Capability, Dim, ImageOperands, Op};

/// Instructions of GLSL.std.450.
const F_ABS: u32 = 4;
const F_MAX: u32 = 40;
const F_CLAMP: u32 = 43;

impl Rewriter<'_> {
    /// Moves the direction of a look-up in a cube map inside its face, if the third part of `values` is one. Image operands
    /// are at `at`.
    pub(super) fn keep_on_face(&mut self, inst: &mut Instruction, at: usize, values: u32) {
        let (Some(Operand::IdRef(sampled)), Some(Operand::IdRef(coordinate))) = (
            inst.operands.first().cloned(),
            inst.operands.get(1).cloned(),
        ) else {
            return;
        };
        let Some(image_type) = self.cube_image(sampled) else {
            return;
        };
        let Some(vector) = self.type_of(coordinate) else {
            return;
        };
        let level = match inst.operands.get(at..) {
            Some([Operand::ImageOperands(mask), Operand::IdRef(level), ..])
                if mask.contains(ImageOperands::LOD) =>
            {
                Some(*level)
            }
            _ => None,
        };
        let limit = self.limit(sampled, image_type, level, values);
        let moved = self.moved(coordinate, vector, limit);
        inst.operands[1] = Operand::IdRef(moved);
    }

    /// The image type of a sampled image, if that is a cube map.
    fn cube_image(&self, sampled: u32) -> Option<u32> {
        let ty = self.type_of(sampled)?;
        let Some(Operand::IdRef(image)) = self.spv.def(ty)?.operands.first() else {
            return None;
        };
        let is_cube = matches!(
            self.spv.def(*image)?.operands.as_slice(),
            [
                _,
                Operand::Dim(Dim::DimCube),
                _,
                Operand::LiteralBit32(0),
                ..
            ]
        );
        is_cube.then_some(*image)
    }

    /// How far from the middle of a face a direction may lead, of its longest part.
    fn limit(&mut self, sampled: u32, image_type: u32, level: Option<u32>, values: u32) -> u32 {
        add_capability(self.spv, Capability::ImageQuery);
        let int = self.spv.type_int();
        let extent = self.spv.type_vector(int, 2);
        let one = self.constant(1.0);
        let lod = match level {
            Some(level) => {
                let (zero, half) = (self.constant(0.0), self.constant(0.5));
                let level = self.extended(F_MAX, &[level, zero]);
                let level = self.binary(Op::FAdd, level, half);
                self.emit(Op::ConvertFToS, int, vec![Operand::IdRef(level)])
            }
            None => self.spv.constant_bits(int, 0),
        };
        let image = self.emit(Op::Image, image_type, vec![Operand::IdRef(sampled)]);
        let query = vec![Operand::IdRef(image), Operand::IdRef(lod)];
        let size = self.emit(Op::ImageQuerySizeLod, extent, query);
        let part = vec![Operand::IdRef(size), Operand::LiteralBit32(0)];
        let size = self.emit(Op::CompositeExtract, int, part);
        let size = self.emit(Op::ConvertSToF, self.float, vec![Operand::IdRef(size)]);
        let size = self.extended(F_MAX, &[size, one]);
        let texel = self.binary(Op::FDiv, one, size);
        let inside = self.binary(Op::FSub, one, texel);
        // One more where faces are not alone: then nothing is beyond it.
        let alone = self.part(values, 2);
        let free = self.binary(Op::FSub, one, alone);
        self.binary(Op::FAdd, inside, free)
    }

    /// The direction with its two shorter parts inside the limit.
    fn moved(&mut self, coordinate: u32, vector: u32, limit: u32) -> u32 {
        let parts: [u32; 3] = std::array::from_fn(|i| self.part(coordinate, i as u32));
        let long = parts.map(|p| self.extended(F_ABS, &[p]));
        let longest = self.extended(F_MAX, &[long[0], long[1]]);
        let longest = self.extended(F_MAX, &[longest, long[2]]);
        let most = self.binary(Op::FMul, longest, limit);
        let least = self.emit(Op::FNegate, self.float, vec![Operand::IdRef(most)]);
        let bool = self.spv.global(Op::TypeBool, None, Vec::new());
        let test =
            |r: &mut Self, op, a, b| r.emit(op, bool, vec![Operand::IdRef(a), Operand::IdRef(b)]);
        // The first of equally long parts chooses the face.
        let xy = test(self, Op::FOrdGreaterThanEqual, long[0], long[1]);
        let xz = test(self, Op::FOrdGreaterThanEqual, long[0], long[2]);
        let yz = test(self, Op::FOrdGreaterThanEqual, long[1], long[2]);
        let x = test(self, Op::LogicalAnd, xy, xz);
        let not_x = self.emit(Op::LogicalNot, bool, vec![Operand::IdRef(x)]);
        let y = test(self, Op::LogicalAnd, not_x, yz);
        let x_or_y = test(self, Op::LogicalOr, x, y);
        let z = self.emit(Op::LogicalNot, bool, vec![Operand::IdRef(x_or_y)]);
        let mut moved = coordinate;
        for (i, (part, is_longest)) in parts.into_iter().zip([x, y, z]).enumerate() {
            let inside = self.extended(F_CLAMP, &[part, least, most]);
            let chosen = [is_longest, part, inside].map(Operand::IdRef).to_vec();
            let part = self.emit(Op::Select, self.float, chosen);
            let insert = vec![
                Operand::IdRef(part),
                Operand::IdRef(moved),
                Operand::LiteralBit32(i as u32),
            ];
            moved = self.emit(Op::CompositeInsert, vector, insert);
        }
        moved
    }

    fn constant(&mut self, value: f32) -> u32 {
        self.spv.constant_bits(self.float, value.to_bits())
    }

    fn binary(&mut self, op: Op, a: u32, b: u32) -> u32 {
        self.emit(op, self.float, vec![Operand::IdRef(a), Operand::IdRef(b)])
    }

    /// An instruction of GLSL.std.450 on floats.
    fn extended(&mut self, number: u32, arguments: &[u32]) -> u32 {
        let set = self.extended_set();
        let mut operands = vec![Operand::IdRef(set), Operand::LiteralExtInstInteger(number)];
        operands.extend(arguments.iter().map(|a| Operand::IdRef(*a)));
        self.emit(Op::ExtInst, self.float, operands)
    }

    fn extended_set(&mut self) -> u32 {
        const NAME: &str = "GLSL.std.450";
        let name = Operand::LiteralString(NAME.to_owned());
        let imports = &self.spv.module.ext_inst_imports;
        let known = imports.iter().find(|i| i.operands.first() == Some(&name));
        if let Some(id) = known.and_then(|i| i.result_id) {
            return id;
        }
        let id = self.spv.new_id();
        let import = Instruction::new(Op::ExtInstImport, None, Some(id), vec![name]);
        self.spv.module.ext_inst_imports.push(import);
        id
    }
}
