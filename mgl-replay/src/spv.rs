//! A SPIR-V module with the look-ups that linking and reflection need: names, decorations, types,
//! constants. Reading and rewriting only; what a name or a binding means is decided elsewhere.

pub mod code;
pub mod edit;
pub mod images;
pub mod points;

use mgl_core::program::{ComponentKind, GlType, NumericShape, SamplerDim, SamplerShape};
use rspirv::binary::Assemble;
use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{BuiltIn, Decoration, Dim, Op, StorageClass};
use std::collections::{HashMap, HashSet};

/// Why a module cannot be worked on. glslang made it, so this is a defect of the tool chain and is
/// reported as a link error.
#[derive(Debug, thiserror::Error)]
pub enum SpvError {
    #[error("SPIR-V does not parse: {0}")]
    Parse(String),
    #[error("SPIR-V has no entry point")]
    NoEntryPoint,
    /// An id beyond the module's bound, or a bound beyond reason.
    #[error("SPIR-V id {0} is out of bounds")]
    OutOfBounds(u32),
}

/// A SPIR-V module and its indices.
pub struct Spv {
    pub module: Module,
    names: HashMap<u32, String>,
    member_names: HashMap<(u32, u32), String>,
    /// Position in `types_global_values` of the instruction that defines an id.
    defs: HashMap<u32, usize>,
    decorations: HashMap<u32, Vec<(Decoration, u32)>>,
    member_decorations: HashMap<(u32, u32), Vec<(Decoration, u32)>>,
}

/// A module-scope variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    pub id: u32,
    pub class: StorageClass,
    /// The type that it points to.
    pub ty: u32,
}

/// The shape of a type, one level deep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Scalar, vector, matrix or sampler.
    Basic(GlType),
    /// Element type and length; the length of a runtime array is 0.
    Array(u32, u32),
    /// Member types.
    Struct(Vec<u32>),
    /// Anything that no GL interface has.
    Other,
}

fn literal(operand: Option<&Operand>) -> u32 {
    match operand {
        Some(Operand::LiteralBit32(v)) => *v,
        Some(Operand::BuiltIn(b)) => *b as u32,
        _ => 0,
    }
}

/// Most ids that a module may have; the largest real shaders stay far below.
const MAX_BOUND: u32 = 1 << 22;

/// Checks that the words are a header and whole instructions: the parser trusts the lengths.
fn check_framing(words: &[u32]) -> Result<(), SpvError> {
    let damaged = |what: &str| Err(SpvError::Parse(what.to_owned()));
    if words.len() < 5 || words[0] != rspirv::spirv::MAGIC_NUMBER {
        return damaged("no header");
    }
    let mut at = 5;
    while at < words.len() {
        let count = (words[at] >> 16) as usize;
        if count == 0 || count > words.len() - at {
            return damaged("an instruction's length is wrong");
        }
        at += count;
    }
    Ok(())
}

/// Checks every id against the module's bound, by which the tools behind size their tables.
fn check_ids(module: &Module) -> Result<(), SpvError> {
    let bound = module.header.as_ref().map_or(0, |h| h.bound);
    if bound > MAX_BOUND {
        return Err(SpvError::OutOfBounds(bound));
    }
    // A type is made of types before it, so that walks over types end.
    let mut defined = HashSet::new();
    for inst in &module.types_global_values {
        let is_composite = matches!(
            inst.class.opcode,
            Op::TypeVector
                | Op::TypeMatrix
                | Op::TypeArray
                | Op::TypeRuntimeArray
                | Op::TypeStruct
                | Op::TypeSampledImage
        );
        for id in inst.operands.iter().filter_map(Operand::id_ref_any) {
            if is_composite && !defined.contains(&id) {
                return Err(SpvError::OutOfBounds(id));
            }
        }
        defined.extend(inst.result_id);
    }
    for inst in module.all_inst_iter() {
        let used = inst.operands.iter().filter_map(Operand::id_ref_any);
        for id in used.chain(inst.result_id).chain(inst.result_type) {
            if id == 0 || id >= bound {
                return Err(SpvError::OutOfBounds(id));
            }
        }
    }
    Ok(())
}

impl Spv {
    /// Parses and indexes a module.
    pub fn load(words: &[u32]) -> Result<Spv, SpvError> {
        check_framing(words)?;
        let module = rspirv::dr::load_words(words).map_err(|e| SpvError::Parse(e.to_string()))?;
        if module.entry_points.len() != 1 {
            return Err(SpvError::NoEntryPoint);
        }
        check_ids(&module)?;
        let mut spv = Spv {
            names: HashMap::new(),
            member_names: HashMap::new(),
            defs: HashMap::new(),
            decorations: HashMap::new(),
            member_decorations: HashMap::new(),
            module,
        };
        for inst in &spv.module.debug_names {
            match (inst.class.opcode, inst.operands.as_slice()) {
                (Op::Name, [Operand::IdRef(id), Operand::LiteralString(name)]) => {
                    spv.names.insert(*id, name.clone());
                }
                (
                    Op::MemberName,
                    [
                        Operand::IdRef(id),
                        Operand::LiteralBit32(member),
                        Operand::LiteralString(name),
                    ],
                ) => {
                    spv.member_names.insert((*id, *member), name.clone());
                }
                _ => {}
            }
        }
        for inst in &spv.module.annotations {
            match (inst.class.opcode, inst.operands.as_slice()) {
                (Op::Decorate, [Operand::IdRef(id), Operand::Decoration(d), rest @ ..]) => {
                    spv.decorations
                        .entry(*id)
                        .or_default()
                        .push((*d, literal(rest.first())));
                }
                (
                    Op::MemberDecorate,
                    [
                        Operand::IdRef(id),
                        Operand::LiteralBit32(member),
                        Operand::Decoration(d),
                        rest @ ..,
                    ],
                ) => {
                    let list = spv.member_decorations.entry((*id, *member)).or_default();
                    list.push((*d, literal(rest.first())));
                }
                _ => {}
            }
        }
        spv.index_globals();
        Ok(spv)
    }

    fn index_globals(&mut self) {
        self.defs.clear();
        for (at, inst) in self.module.types_global_values.iter().enumerate() {
            if let Some(id) = inst.result_id {
                self.defs.insert(id, at);
            }
        }
    }

    /// Brings the look-ups of types, constants and variables up to date after the list of them was
    /// changed from outside.
    pub fn reindex(&mut self) {
        self.index_globals();
    }

    /// The module as words.
    pub fn assemble(&self) -> Vec<u32> {
        self.module.assemble()
    }

    /// A fresh id.
    pub fn new_id(&mut self) -> u32 {
        let header = self
            .module
            .header
            .as_mut()
            .expect("a loaded module has a header");
        header.bound += 1;
        header.bound - 1
    }

    /// Id of the entry function.
    pub fn entry_function(&self) -> u32 {
        match self.module.entry_points[0].operands.get(1) {
            Some(Operand::IdRef(id)) => *id,
            _ => 0,
        }
    }

    /// The instruction that defines a type, constant or module-scope variable.
    pub fn def(&self, id: u32) -> Option<&Instruction> {
        self.defs
            .get(&id)
            .map(|at| &self.module.types_global_values[*at])
    }

    /// The debug name of an id, empty when it has none.
    pub fn name(&self, id: u32) -> &str {
        self.names.get(&id).map_or("", String::as_str)
    }

    /// Gives an id a debug name in place of the one that it has.
    pub fn rename(&mut self, id: u32, name: &str) {
        self.module.debug_names.retain(|inst| {
            inst.class.opcode != Op::Name || inst.operands.first() != Some(&Operand::IdRef(id))
        });
        self.module.debug_names.push(Instruction::new(
            Op::Name,
            None,
            None,
            vec![Operand::IdRef(id), Operand::LiteralString(name.to_owned())],
        ));
        self.names.insert(id, name.to_owned());
    }

    /// Gives a struct member a debug name in place of the one that it has.
    pub fn rename_member(&mut self, ty: u32, member: u32, name: &str) {
        self.module.debug_names.retain(|inst| {
            inst.class.opcode != Op::MemberName
                || inst.operands.first() != Some(&Operand::IdRef(ty))
                || inst.operands.get(1) != Some(&Operand::LiteralBit32(member))
        });
        self.module.debug_names.push(Instruction::new(
            Op::MemberName,
            None,
            None,
            vec![
                Operand::IdRef(ty),
                Operand::LiteralBit32(member),
                Operand::LiteralString(name.to_owned()),
            ],
        ));
        self.member_names.insert((ty, member), name.to_owned());
    }

    /// Takes every debug name out.
    pub fn forget_names(&mut self) {
        self.module.debug_names.clear();
        self.names.clear();
        self.member_names.clear();
    }

    /// Appends a type, constant or variable and gives its id.
    pub fn add_global(&mut self, op: Op, result_type: Option<u32>, operands: Vec<Operand>) -> u32 {
        let id = self.new_id();
        self.defs.insert(id, self.module.types_global_values.len());
        self.module
            .types_global_values
            .push(Instruction::new(op, result_type, Some(id), operands));
        id
    }

    /// The type or constant with these parts, a new one if the module has none.
    pub fn global(&mut self, op: Op, result_type: Option<u32>, operands: Vec<Operand>) -> u32 {
        let known = self.module.types_global_values.iter().find(|inst| {
            inst.class.opcode == op && inst.result_type == result_type && inst.operands == operands
        });
        match known.and_then(|inst| inst.result_id) {
            Some(id) => id,
            None => self.add_global(op, result_type, operands),
        }
    }

    /// The 32-bit float type.
    pub fn type_float(&mut self) -> u32 {
        self.global(Op::TypeFloat, None, vec![Operand::LiteralBit32(32)])
    }

    /// The signed 32-bit integer type.
    pub fn type_int(&mut self) -> u32 {
        self.global(
            Op::TypeInt,
            None,
            vec![Operand::LiteralBit32(32), Operand::LiteralBit32(1)],
        )
    }

    /// The unsigned 32-bit integer type.
    pub fn type_uint(&mut self) -> u32 {
        self.global(
            Op::TypeInt,
            None,
            vec![Operand::LiteralBit32(32), Operand::LiteralBit32(0)],
        )
    }

    /// A vector type.
    pub fn type_vector(&mut self, component: u32, count: u32) -> u32 {
        let operands = vec![Operand::IdRef(component), Operand::LiteralBit32(count)];
        self.global(Op::TypeVector, None, operands)
    }

    /// A pointer type.
    pub fn type_pointer(&mut self, class: StorageClass, ty: u32) -> u32 {
        let operands = vec![Operand::StorageClass(class), Operand::IdRef(ty)];
        self.global(Op::TypePointer, None, operands)
    }

    /// A 32-bit constant by its bits.
    pub fn constant_bits(&mut self, ty: u32, bits: u32) -> u32 {
        self.global(Op::Constant, Some(ty), vec![Operand::LiteralBit32(bits)])
    }

    /// A new module-scope variable, listed in the entry point when it is an input or output.
    pub fn add_variable(&mut self, class: StorageClass, ty: u32) -> u32 {
        let pointer = self.type_pointer(class, ty);
        let id = self.add_global(
            Op::Variable,
            Some(pointer),
            vec![Operand::StorageClass(class)],
        );
        if matches!(class, StorageClass::Input | StorageClass::Output) {
            self.module.entry_points[0]
                .operands
                .push(Operand::IdRef(id));
        }
        id
    }

    /// The debug name of a struct member, empty when it has none.
    pub fn member_name(&self, ty: u32, member: u32) -> &str {
        self.member_names
            .get(&(ty, member))
            .map_or("", String::as_str)
    }

    /// The literal of a decoration (0 for those without one).
    pub fn decoration(&self, id: u32, decoration: Decoration) -> Option<u32> {
        let list = self.decorations.get(&id)?;
        list.iter().find(|(d, _)| *d == decoration).map(|(_, v)| *v)
    }

    /// The literal of a member decoration (0 for those without one).
    pub fn member_decoration(&self, ty: u32, member: u32, decoration: Decoration) -> Option<u32> {
        let list = self.member_decorations.get(&(ty, member))?;
        list.iter().find(|(d, _)| *d == decoration).map(|(_, v)| *v)
    }

    /// Gives `id` the decoration with a literal, in place of one that it has.
    pub fn decorate(&mut self, id: u32, decoration: Decoration, value: u32) {
        self.undecorate(id, decoration);
        self.module.annotations.push(Instruction::new(
            Op::Decorate,
            None,
            None,
            vec![
                Operand::IdRef(id),
                Operand::Decoration(decoration),
                Operand::LiteralBit32(value),
            ],
        ));
        self.decorations
            .entry(id)
            .or_default()
            .push((decoration, value));
    }

    /// Gives `id` a decoration without a literal.
    pub fn decorate_flag(&mut self, id: u32, decoration: Decoration) {
        self.undecorate(id, decoration);
        self.module.annotations.push(Instruction::new(
            Op::Decorate,
            None,
            None,
            vec![Operand::IdRef(id), Operand::Decoration(decoration)],
        ));
        self.decorations
            .entry(id)
            .or_default()
            .push((decoration, 0));
    }

    /// Takes a decoration from `id`.
    pub fn undecorate(&mut self, id: u32, decoration: Decoration) {
        if self.decoration(id, decoration).is_none() {
            return;
        }
        if let Some(list) = self.decorations.get_mut(&id) {
            list.retain(|(d, _)| *d != decoration);
        }
        self.module.annotations.retain(|inst| {
            !(inst.class.opcode == Op::Decorate
                && inst.operands.first() == Some(&Operand::IdRef(id))
                && inst.operands.get(1) == Some(&Operand::Decoration(decoration)))
        });
    }

    /// Takes a decoration from a struct member.
    pub fn undecorate_member(&mut self, ty: u32, member: u32, decoration: Decoration) {
        if self.member_decoration(ty, member, decoration).is_none() {
            return;
        }
        if let Some(list) = self.member_decorations.get_mut(&(ty, member)) {
            list.retain(|(d, _)| *d != decoration);
        }
        self.module.annotations.retain(|inst| {
            !(inst.class.opcode == Op::MemberDecorate
                && inst.operands.first() == Some(&Operand::IdRef(ty))
                && inst.operands.get(1) == Some(&Operand::LiteralBit32(member))
                && inst.operands.get(2) == Some(&Operand::Decoration(decoration)))
        });
    }

    /// Value of an integer constant.
    pub fn constant(&self, id: u32) -> Option<u32> {
        let inst = self.def(id)?;
        match (inst.class.opcode, inst.operands.first()) {
            (Op::Constant | Op::SpecConstant, Some(Operand::LiteralBit32(v))) => Some(*v),
            (Op::ConstantNull, _) => Some(0),
            _ => None,
        }
    }

    /// All module-scope variables in order of declaration.
    pub fn variables(&self) -> Vec<Variable> {
        let mut list = Vec::new();
        for inst in &self.module.types_global_values {
            if inst.class.opcode != Op::Variable {
                continue;
            }
            if let (Some(id), Some(pointer), Some(Operand::StorageClass(class))) =
                (inst.result_id, inst.result_type, inst.operands.first())
                && let Some(ty) = self.pointee(pointer)
            {
                list.push(Variable {
                    id,
                    class: *class,
                    ty,
                });
            }
        }
        list
    }

    /// The type that a pointer type points to.
    pub fn pointee(&self, pointer: u32) -> Option<u32> {
        match self.def(pointer)?.operands.as_slice() {
            [Operand::StorageClass(_), Operand::IdRef(ty)] => Some(*ty),
            _ => None,
        }
    }

    /// The built-in that a variable is, or that any member of its block is.
    pub fn is_builtin(&self, variable: Variable) -> bool {
        if self.decoration(variable.id, Decoration::BuiltIn).is_some() {
            return true;
        }
        let ty = self.strip_array(variable.ty).0;
        self.member_decoration(ty, 0, Decoration::BuiltIn).is_some()
    }

    /// Element type under the outermost array, and that array's length if there is one.
    pub fn strip_array(&self, ty: u32) -> (u32, Option<u32>) {
        match self.shape(ty) {
            Shape::Array(element, length) => (element, Some(length)),
            _ => (ty, None),
        }
    }

    /// The shape of a type.
    pub fn shape(&self, ty: u32) -> Shape {
        let Some(inst) = self.def(ty) else {
            return Shape::Other;
        };
        let id = |n: usize| match inst.operands.get(n) {
            Some(Operand::IdRef(id)) => *id,
            _ => 0,
        };
        let basic = |t: Option<GlType>| t.map_or(Shape::Other, Shape::Basic);
        match inst.class.opcode {
            Op::TypeFloat | Op::TypeInt | Op::TypeBool => match self.component(ty) {
                Some(component) => basic(GlType::from_numeric(NumericShape {
                    component,
                    columns: 1,
                    rows: 1,
                })),
                None => Shape::Other,
            },
            Op::TypeVector => match self.component(id(0)) {
                Some(component) => basic(GlType::from_numeric(NumericShape {
                    component,
                    columns: 1,
                    rows: literal(inst.operands.get(1)) as u8,
                })),
                None => Shape::Other,
            },
            Op::TypeMatrix => match self.shape(id(0)) {
                Shape::Basic(column) => basic(column.numeric().and_then(|shape| {
                    GlType::from_numeric(NumericShape {
                        columns: literal(inst.operands.get(1)) as u8,
                        ..shape
                    })
                })),
                _ => Shape::Other,
            },
            Op::TypeSampledImage => basic(self.sampled_image(id(0))),
            Op::TypeArray => Shape::Array(id(0), self.constant(id(1)).unwrap_or(0)),
            Op::TypeRuntimeArray => Shape::Array(id(0), 0),
            Op::TypeStruct => Shape::Struct((0..inst.operands.len()).map(id).collect()),
            _ => Shape::Other,
        }
    }

    fn component(&self, ty: u32) -> Option<ComponentKind> {
        let inst = self.def(ty)?;
        Some(match inst.class.opcode {
            Op::TypeBool => ComponentKind::Bool,
            Op::TypeFloat => match literal(inst.operands.first()) {
                32 => ComponentKind::Float,
                64 => ComponentKind::Double,
                _ => return None,
            },
            Op::TypeInt => match (
                literal(inst.operands.first()),
                literal(inst.operands.get(1)),
            ) {
                (32, 0) => ComponentKind::Uint,
                (32, 1) => ComponentKind::Int,
                _ => return None,
            },
            _ => return None,
        })
    }

    fn sampled_image(&self, image: u32) -> Option<GlType> {
        let inst = self.def(image)?;
        let [
            Operand::IdRef(sampled),
            Operand::Dim(dim),
            Operand::LiteralBit32(depth),
            Operand::LiteralBit32(arrayed),
            Operand::LiteralBit32(multisample),
            ..,
        ] = inst.operands.as_slice()
        else {
            return None;
        };
        GlType::from_sampler(SamplerShape {
            dim: match dim {
                Dim::Dim1D => SamplerDim::D1,
                Dim::Dim2D => SamplerDim::D2,
                Dim::Dim3D => SamplerDim::D3,
                Dim::DimCube => SamplerDim::Cube,
                Dim::DimRect => SamplerDim::Rect,
                Dim::DimBuffer => SamplerDim::Buffer,
                _ => return None,
            },
            arrayed: *arrayed == 1,
            shadow: *depth == 1,
            multisample: *multisample == 1,
            component: self.component(*sampled)?,
        })
    }

    /// Locations that a value of this type takes between stages or as a vertex input.
    pub fn locations(&self, ty: u32, double_slots: bool) -> u32 {
        match self.shape(ty) {
            Shape::Basic(basic) => basic.locations(double_slots),
            Shape::Array(element, length) => {
                self.locations(element, double_slots).saturating_mul(length)
            }
            Shape::Struct(members) => members.iter().fold(0, |sum, m| {
                sum.saturating_add(self.locations(*m, double_slots))
            }),
            Shape::Other => 0,
        }
    }

    /// Components (floats) that a value of this type counts for against the varying limits.
    pub fn components(&self, ty: u32) -> u32 {
        match self.shape(ty) {
            Shape::Basic(basic) => basic.components() * (basic.component_bytes() / 4),
            Shape::Array(element, length) => self.components(element).saturating_mul(length),
            Shape::Struct(members) => members
                .iter()
                .fold(0, |sum, m| sum.saturating_add(self.components(*m))),
            Shape::Other => 0,
        }
    }

    /// Removes module-scope variables with their names, decorations and interface entries. Nothing
    /// may use them any more.
    pub fn remove_variables(&mut self, gone: &[u32]) {
        if gone.is_empty() {
            return;
        }
        let names_gone = |inst: &Instruction| match inst.operands.first() {
            Some(Operand::IdRef(id)) => gone.contains(id),
            _ => false,
        };
        self.module
            .debug_names
            .retain(|i| i.class.opcode != Op::Name || !names_gone(i));
        self.module
            .annotations
            .retain(|i| i.class.opcode != Op::Decorate || !names_gone(i));
        self.module.types_global_values.retain(|i| {
            !(i.class.opcode == Op::Variable && i.result_id.is_some_and(|id| gone.contains(&id)))
        });
        for entry in &mut self.module.entry_points {
            let mut at = 0;
            entry.operands.retain(|operand| {
                at += 1;
                at <= 3 || !matches!(operand, Operand::IdRef(id) if gone.contains(id))
            });
        }
        self.index_globals();
    }

    /// True when the two types, of two modules, are the same to GLSL (names of members included).
    pub fn same_type(&self, ty: u32, other: &Spv, other_ty: u32) -> bool {
        match (self.shape(ty), other.shape(other_ty)) {
            (Shape::Basic(a), Shape::Basic(b)) => a == b,
            (Shape::Array(a, n), Shape::Array(b, m)) => n == m && self.same_type(a, other, b),
            (Shape::Struct(a), Shape::Struct(b)) => {
                a.len() == b.len()
                    && a.iter().zip(&b).enumerate().all(|(at, (x, y))| {
                        self.member_name(ty, at as u32) == other.member_name(other_ty, at as u32)
                            && self.same_type(*x, other, *y)
                    })
            }
            _ => false,
        }
    }

    /// The type as GLSL writes it, for logs.
    pub fn type_name(&self, ty: u32) -> String {
        match self.shape(ty) {
            Shape::Basic(basic) => glsl_name(basic),
            Shape::Array(element, length) => format!("{}[{length}]", self.type_name(element)),
            Shape::Struct(_) => format!("struct {}", self.name(ty)),
            Shape::Other => "unknown".to_owned(),
        }
    }

    /// The built-in of a decoration literal.
    pub fn builtin(value: u32) -> Option<BuiltIn> {
        BuiltIn::from_u32(value)
    }
}

/// A basic type as GLSL writes it.
pub fn glsl_name(ty: GlType) -> String {
    if let Some(shape) = ty.numeric() {
        let (scalar, prefix) = match shape.component {
            ComponentKind::Float => ("float", ""),
            ComponentKind::Double => ("double", "d"),
            ComponentKind::Int => ("int", "i"),
            ComponentKind::Uint => ("uint", "u"),
            ComponentKind::Bool => ("bool", "b"),
        };
        return match (shape.columns, shape.rows) {
            (1, 1) => scalar.to_owned(),
            (1, rows) => format!("{prefix}vec{rows}"),
            (columns, rows) if columns == rows => format!("{prefix}mat{columns}"),
            (columns, rows) => format!("{prefix}mat{columns}x{rows}"),
        };
    }
    ty.sampler().map_or_else(
        || format!("{ty:?}"),
        |shape| {
            let prefix = match shape.component {
                ComponentKind::Int => "i",
                ComponentKind::Uint => "u",
                _ => "",
            };
            let dim = match shape.dim {
                SamplerDim::D1 => "1D",
                SamplerDim::D2 if shape.multisample => "2DMS",
                SamplerDim::D2 => "2D",
                SamplerDim::D3 => "3D",
                SamplerDim::Cube => "Cube",
                SamplerDim::Rect => "2DRect",
                SamplerDim::Buffer => "Buffer",
            };
            let array = if shape.arrayed { "Array" } else { "" };
            let shadow = if shape.shadow { "Shadow" } else { "" };
            format!("{prefix}sampler{dim}{array}{shadow}")
        },
    )
}
