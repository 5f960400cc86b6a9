//! Word tables of the translator: what later language versions reserve, what the old texture
//! functions are called now, and which built-ins belong to the fixed-function pipeline.

/// Words that the compiler may take for keywords, by the version that is the first to have or reserve them;
/// a program of an earlier version may use them as names (§3.6 of GLSL 1.10 to 4.30).
fn reserved_since(word: &str) -> Option<u32> {
    let numbered = |base: &str| {
        let tail = word.strip_prefix(base)?;
        matches!(tail, "2" | "3" | "4").then_some(())
    };
    if let Some(since) = opaque_since(word) {
        return Some(since);
    }
    if let Some(tail) = word.strip_prefix("mat")
        && let [b'2'..=b'4', b'x', b'2'..=b'4'] = tail.as_bytes()
    {
        return Some(120);
    }
    if numbered("uvec").is_some() {
        return Some(130);
    }
    Some(match word {
        "centroid" | "invariant" | "highp" | "mediump" | "lowp" | "precision" => 120,
        "active" | "case" | "common" | "double" | "filter" | "flat" | "noperspective"
        | "partition" | "smooth" | "superp" | "uint" => 130,
        "layout" => 140,
        "patch" | "precise" | "sample" | "subroutine" => 400,
        "atomic_uint" | "coherent" | "readonly" | "resource" | "restrict" | "writeonly" => 420,
        "buffer" | "shared" => 430,
        _ => return None,
    })
}

/// The same for sampler and image types; 1.10's own are always words of the language.
fn opaque_since(word: &str) -> Option<u32> {
    let typed = !word.starts_with("image") && word.starts_with(['i', 'u']);
    let bare = &word[usize::from(typed)..];
    if let Some(dim) = bare.strip_prefix("image") {
        let known = [
            "1D",
            "2D",
            "3D",
            "Cube",
            "Buffer",
            "1DArray",
            "2DArray",
            "CubeArray",
            "2DRect",
            "2DMS",
            "2DMSArray",
        ];
        return known.contains(&dim).then_some(130);
    }
    let dim = bare.strip_prefix("sampler")?;
    let since = match dim {
        "1D" | "2D" | "3D" | "Cube" if typed => 130,
        "1DArray" | "2DArray" => 130,
        "1DArrayShadow" | "2DArrayShadow" | "CubeShadow" if !typed => 130,
        "Buffer" if typed => 140,
        "Buffer" => 130,
        "2DRect" if typed => 140,
        "2DMS" | "2DMSArray" => 150,
        "CubeArray" => 400,
        "CubeArrayShadow" if !typed => 400,
        _ => return None,
    };
    Some(since)
}

/// True when a program of this version may use the word as a name.
pub fn is_later_word(word: &str, version: u32) -> bool {
    reserved_since(word).is_some_and(|since| version < since)
}

/// Words that the Vulkan flavour of the language reserves and OpenGL's never does.
const VULKAN_ONLY: &[&str] = &[
    "sampler",
    "samplerShadow",
    "texture1D",
    "texture2D",
    "texture3D",
    "textureCube",
    "texture1DArray",
    "texture2DArray",
    "textureCubeArray",
    "texture2DRect",
    "textureBuffer",
    "texture2DMS",
    "texture2DMSArray",
    "itexture1D",
    "itexture2D",
    "itexture3D",
    "itextureCube",
    "itexture1DArray",
    "itexture2DArray",
    "itextureCubeArray",
    "itexture2DRect",
    "itextureBuffer",
    "itexture2DMS",
    "itexture2DMSArray",
    "utexture1D",
    "utexture2D",
    "utexture3D",
    "utextureCube",
    "utexture1DArray",
    "utexture2DArray",
    "utextureCubeArray",
    "utexture2DRect",
    "utextureBuffer",
    "utexture2DMS",
    "utexture2DMSArray",
    "subpassInput",
    "subpassInputMS",
    "isubpassInput",
    "isubpassInputMS",
    "usubpassInput",
    "usubpassInputMS",
    "attachmentEXT",
    "iattachmentEXT",
    "uattachmentEXT",
    // Vulkan's names of what OpenGL calls gl_VertexID and gl_InstanceID are glslang built-ins
    // anyway; user functions and variables of these names are spared a clash.
    "subpassLoad",
    "tileImageEXT",
];

/// True when a program of this version may use the word as a name and glslang would not let it.
/// `qualifies` says that the word stands where a qualifier or type would: programs of old versions
/// rely on drivers that know the later words there.
pub fn must_rename(word: &str, version: u32, qualifies: bool) -> bool {
    if VULKAN_ONLY.contains(&word) {
        return true;
    }
    let mere_name = matches!(
        word,
        "active" | "case" | "common" | "filter" | "partition" | "superp"
    );
    (mere_name || !qualifies) && is_later_word(word, version)
}

/// The functions that old texture look-ups are mapped to. A variable of such a name would hide
/// them.
pub fn is_texture_function(word: &str) -> bool {
    matches!(
        word,
        "texture"
            | "textureProj"
            | "textureLod"
            | "textureProjLod"
            | "textureGrad"
            | "textureProjGrad"
            | "textureOffset"
            | "textureProjOffset"
            | "textureLodOffset"
            | "textureProjLodOffset"
            | "textureGradOffset"
            | "textureProjGradOffset"
            | "texelFetch"
            | "texelFetchOffset"
            | "textureSize"
    )
}

/// First version that has this built-in function, 0 for none (texture look-ups of 1.30 are
/// [`is_texture_function`]'s).
fn function_since(word: &str) -> u32 {
    match word {
        "radians" | "degrees" | "sin" | "cos" | "tan" | "asin" | "acos" | "atan" | "pow"
        | "exp" | "log" | "exp2" | "log2" | "sqrt" | "inversesqrt" | "abs" | "sign" | "floor"
        | "ceil" | "fract" | "mod" | "min" | "max" | "clamp" | "mix" | "step" | "smoothstep"
        | "length" | "distance" | "dot" | "cross" | "normalize" | "faceforward" | "reflect"
        | "refract" | "matrixCompMult" | "lessThan" | "lessThanEqual" | "greaterThan"
        | "greaterThanEqual" | "equal" | "notEqual" | "any" | "all" | "not" | "dFdx" | "dFdy"
        | "fwidth" => 110,
        "outerProduct" | "transpose" => 120,
        "sinh" | "cosh" | "tanh" | "asinh" | "acosh" | "atanh" | "trunc" | "round"
        | "roundEven" | "modf" | "isnan" | "isinf" => 130,
        "inverse" => 140,
        "determinant" => 150,
        "floatBitsToInt" | "floatBitsToUint" | "intBitsToFloat" | "uintBitsToFloat" => 330,
        "fma"
        | "frexp"
        | "ldexp"
        | "bitfieldExtract"
        | "bitfieldInsert"
        | "bitfieldReverse"
        | "bitCount"
        | "findLSB"
        | "findMSB"
        | "uaddCarry"
        | "usubBorrow"
        | "umulExtended"
        | "imulExtended"
        | "packUnorm2x16"
        | "packUnorm4x8"
        | "packSnorm4x8"
        | "unpackUnorm2x16"
        | "unpackUnorm4x8"
        | "unpackSnorm4x8"
        | "packDouble2x32"
        | "unpackDouble2x32"
        | "textureQueryLod"
        | "textureGather"
        | "textureGatherOffset"
        | "textureGatherOffsets"
        | "interpolateAtCentroid"
        | "interpolateAtSample"
        | "interpolateAtOffset"
        | "EmitStreamVertex"
        | "EndStreamPrimitive"
        | "barrier" => 400,
        "packSnorm2x16"
        | "unpackSnorm2x16"
        | "packHalf2x16"
        | "unpackHalf2x16"
        | "memoryBarrier"
        | "imageLoad"
        | "imageStore"
        | "imageAtomicAdd"
        | "imageAtomicMin"
        | "imageAtomicMax"
        | "imageAtomicAnd"
        | "imageAtomicOr"
        | "imageAtomicXor"
        | "imageAtomicExchange"
        | "imageAtomicCompSwap"
        | "atomicCounter"
        | "atomicCounterIncrement"
        | "atomicCounterDecrement" => 420,
        "textureQueryLevels"
        | "imageSize"
        | "atomicAdd"
        | "atomicMin"
        | "atomicMax"
        | "atomicAnd"
        | "atomicOr"
        | "atomicXor"
        | "atomicExchange"
        | "atomicCompSwap"
        | "groupMemoryBarrier"
        | "memoryBarrierAtomicCounter"
        | "memoryBarrierBuffer"
        | "memoryBarrierImage"
        | "memoryBarrierShared" => 430,
        "textureSamples" | "imageSamples" | "dFdxFine" | "dFdyFine" | "dFdxCoarse"
        | "dFdyCoarse" | "fwidthFine" | "fwidthCoarse" => 450,
        "anyInvocation"
        | "allInvocations"
        | "allInvocationsEqual"
        | "atomicCounterAdd"
        | "atomicCounterSubtract"
        | "atomicCounterMin"
        | "atomicCounterMax"
        | "atomicCounterAnd"
        | "atomicCounterOr"
        | "atomicCounterXor"
        | "atomicCounterExchange"
        | "atomicCounterCompSwap" => 460,
        _ => 0,
    }
}

/// True for the name of a built-in function of a later version: calls of it mean the shader's own.
pub fn is_later_function(word: &str, version: u32) -> bool {
    function_since(word) > version
}

/// What an old texture function is called in GLSL 3.30.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureCall {
    pub name: &'static str,
    /// It is one of the `shadow*` functions, which give four components.
    pub shadow: bool,
}

/// Maps `texture2D`, `shadow1DProjLod`, `texture2DGradARB`, `texelFetch2DRect` and all their kin
/// (GLSL 1.20 §8.7, ARB_shader_texture_lod, EXT_texture_array, EXT_gpu_shader4).
pub fn texture_call(word: &str) -> Option<TextureCall> {
    let dims: &[&str] = &[
        "2DRect", "1DArray", "2DArray", "1D", "2D", "3D", "Cube", "Buffer",
    ];
    let strip = |rest: &'_ str| -> Option<usize> {
        dims.iter().find(|d| rest.starts_with(**d)).map(|d| d.len())
    };
    if let Some(rest) = word.strip_prefix("texelFetch") {
        let name = match &rest[strip(rest)?..] {
            "" => "texelFetch",
            "Offset" => "texelFetchOffset",
            _ => return None,
        };
        return Some(TextureCall {
            name,
            shadow: false,
        });
    }
    if let Some(rest) = word.strip_prefix("textureSize") {
        let name = rest[strip(rest)?..].is_empty().then_some("textureSize")?;
        return Some(TextureCall {
            name,
            shadow: false,
        });
    }
    let (rest, shadow) = match (word.strip_prefix("texture"), word.strip_prefix("shadow")) {
        (Some(rest), _) => (rest, false),
        (None, Some(rest)) => (rest, true),
        (None, None) => return None,
    };
    let suffix = &rest[strip(rest)?..];
    let suffix = suffix
        .strip_suffix("ARB")
        .or(suffix.strip_suffix("EXT"))
        .unwrap_or(suffix);
    let name = match suffix {
        "" => "texture",
        "Proj" => "textureProj",
        "Lod" => "textureLod",
        "ProjLod" => "textureProjLod",
        "Grad" => "textureGrad",
        "ProjGrad" => "textureProjGrad",
        "Offset" => "textureOffset",
        "ProjOffset" => "textureProjOffset",
        "LodOffset" => "textureLodOffset",
        "ProjLodOffset" => "textureProjLodOffset",
        "GradOffset" => "textureGradOffset",
        "ProjGradOffset" => "textureProjGradOffset",
        _ => return None,
    };
    Some(TextureCall { name, shadow })
}

/// True for built-ins of the fixed-function pipeline (GLSL 1.20 §7.1 to §7.6), which this driver
/// does not have.
pub fn is_fixed_function(word: &str) -> bool {
    let Some(rest) = word.strip_prefix("gl_") else {
        return word == "ftransform";
    };
    let matrix = |base: &str| {
        rest.strip_prefix(base)
            .is_some_and(|tail| matches!(tail, "" | "Inverse" | "Transpose" | "InverseTranspose"))
    };
    if [
        "ModelViewMatrix",
        "ProjectionMatrix",
        "ModelViewProjectionMatrix",
        "TextureMatrix",
    ]
    .into_iter()
    .any(matrix)
    {
        return true;
    }
    if let Some(unit) = rest.strip_prefix("MultiTexCoord") {
        return matches!(unit, "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7");
    }
    matches!(
        rest,
        "Vertex"
            | "Normal"
            | "Color"
            | "SecondaryColor"
            | "FogCoord"
            | "FrontColor"
            | "BackColor"
            | "FrontSecondaryColor"
            | "BackSecondaryColor"
            | "TexCoord"
            | "FogFragCoord"
            | "ClipVertex"
            | "NormalMatrix"
            | "NormalScale"
            | "ClipPlane"
            | "Point"
            | "FrontMaterial"
            | "BackMaterial"
            | "LightSource"
            | "LightModel"
            | "FrontLightModelProduct"
            | "BackLightModelProduct"
            | "FrontLightProduct"
            | "BackLightProduct"
            | "TextureEnvColor"
            | "EyePlaneS"
            | "EyePlaneT"
            | "EyePlaneR"
            | "EyePlaneQ"
            | "ObjectPlaneS"
            | "ObjectPlaneT"
            | "ObjectPlaneR"
            | "ObjectPlaneQ"
            | "Fog"
    )
}

/// Constants of the old language that GLSL 3.30 core lacks; the least values that GL demands.
pub fn old_constant(word: &str) -> Option<&'static str> {
    Some(match word {
        "gl_MaxLights" => "8",
        "gl_MaxClipPlanes" => "8",
        "gl_MaxTextureUnits" => "2",
        "gl_MaxTextureCoords" => "8",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texture_names() {
        let name = |word| texture_call(word).map(|c| (c.name, c.shadow));
        assert_eq!(name("texture2D"), Some(("texture", false)));
        assert_eq!(name("texture2DRectProj"), Some(("textureProj", false)));
        assert_eq!(name("textureCubeLod"), Some(("textureLod", false)));
        assert_eq!(name("texture2DGradARB"), Some(("textureGrad", false)));
        assert_eq!(name("texture1DArrayLod"), Some(("textureLod", false)));
        assert_eq!(name("shadow1DProjLod"), Some(("textureProjLod", true)));
        assert_eq!(name("shadow2DRect"), Some(("texture", true)));
        assert_eq!(name("texelFetch2DRect"), Some(("texelFetch", false)));
        assert_eq!(name("textureSize2D"), Some(("textureSize", false)));
        for other in [
            "texture",
            "textureLod",
            "textureSize",
            "texture2DBicubic",
            "shadow",
            "shadowMap",
        ] {
            assert_eq!(name(other), None, "{other}");
        }
    }

    #[test]
    fn fixed_function_names() {
        for word in [
            "gl_Vertex",
            "gl_TextureMatrixInverseTranspose",
            "ftransform",
            "gl_MultiTexCoord7",
        ] {
            assert!(is_fixed_function(word), "{word}");
        }
        for word in [
            "gl_Position",
            "gl_PointSize",
            "gl_MultiTexCoord8",
            "gl_FragColor",
            "Vertex",
        ] {
            assert!(!is_fixed_function(word), "{word}");
        }
    }

    #[test]
    fn functions_by_version() {
        assert!(is_later_function("round", 120) && !is_later_function("round", 130));
        assert!(is_later_function("fma", 330) && !is_later_function("shade", 110));
    }

    #[test]
    fn renaming_depends_on_the_version() {
        assert!(must_rename("uint", 120, false) && !must_rename("uint", 130, false));
        assert!(!must_rename("uint", 120, true) && must_rename("common", 120, true));
        assert!(must_rename("sampler", 330, true));
        assert!(!must_rename("color", 110, false));
        for word in ["shared", "buffer", "sample", "patch", "precise", "coherent"] {
            assert!(must_rename(word, 330, false), "{word}");
        }
        assert!(must_rename("image2D", 120, false) && !must_rename("image2D", 130, false));
        assert!(must_rename("isamplerBuffer", 130, false));
        assert!(!must_rename("sampler2D", 110, false));
    }
}
