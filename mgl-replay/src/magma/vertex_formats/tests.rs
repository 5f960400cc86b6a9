//! All types of attributes, on devices that read every format and on one that reads only what each must.

use super::*;

fn attrib(ty: AttribType, components: u32, class: AttribClass, bgra: bool) -> VertexAttrib {
    VertexAttrib {
        ty,
        components,
        bgra: bgra.into(),
        class,
        ..VertexAttrib::default()
    }
}

/// Every attribute that GL accepts.
fn all() -> Vec<VertexAttrib> {
    let mut list = Vec::new();
    for (ty, _) in AttribType::VALUES {
        for (class, _) in AttribClass::VALUES {
            let whole = matches!(
                *ty,
                AttribType::BYTE
                    | AttribType::UNSIGNED_BYTE
                    | AttribType::SHORT
                    | AttribType::UNSIGNED_SHORT
                    | AttribType::INT
                    | AttribType::UNSIGNED_INT
            );
            let legal = match *class {
                AttribClass::INTEGER => whole,
                AttribClass::LONG => *ty == AttribType::DOUBLE,
                _ => true,
            };
            if !legal {
                continue;
            }
            let counts = match *ty {
                AttribType::UNSIGNED_INT_10F_11F_11F_REV => 3..=3,
                t if t.is_packed() => 4..=4,
                _ => 1..=4,
            };
            for n in counts {
                list.push(attrib(*ty, n, *class, false));
            }
            let swappable = matches!(
                *ty,
                AttribType::UNSIGNED_BYTE
                    | AttribType::UNSIGNED_INT_2_10_10_10_REV
                    | AttribType::INT_2_10_10_10_REV
            );
            if swappable && *class == AttribClass::NORMALIZED {
                list.push(attrib(*ty, 4, *class, true));
            }
        }
    }
    list
}

fn input(component: ComponentKind) -> Input {
    Input {
        location: 0,
        component,
        components: 4,
    }
}

/// Formats that no device may lack for vertices and that 32-bit components have.
fn only_words(f: vk::Format) -> bool {
    use vk::Format as V;
    matches!(
        f,
        V::R32_SFLOAT
            | V::R32G32_SFLOAT
            | V::R32G32B32_SFLOAT
            | V::R32G32B32A32_SFLOAT
            | V::R32_SINT
            | V::R32G32_SINT
            | V::R32G32B32_SINT
            | V::R32G32B32A32_SINT
            | V::R32_UINT
            | V::R32G32_UINT
            | V::R32G32B32_UINT
            | V::R32G32B32A32_UINT
    )
}

/// What a format's components are to a shader.
fn kind(f: vk::Format) -> ComponentKind {
    let name = format!("{f:?}");
    if name.contains("R64") {
        ComponentKind::Double
    } else if name.contains("SINT") {
        ComponentKind::Int
    } else if name.contains("UINT") {
        ComponentKind::Uint
    } else {
        ComponentKind::Float
    }
}

#[test]
fn every_attribute_reaches_every_kind_of_input() {
    for a in all() {
        for component in [
            ComponentKind::Float,
            ComponentKind::Int,
            ComponentKind::Uint,
            ComponentKind::Double,
        ] {
            for reads in [(|_| true) as fn(vk::Format) -> bool, only_words] {
                let p = plan(&a, Some(&input(component)), &reads);
                assert_eq!(kind(p.format), component, "{a:?}: {:?}", p.format);
                if component != ComponentKind::Double {
                    let natural_one = natural(&a) == Some(p.format) && !p.converts();
                    assert!(natural_one || only_words(p.format), "{a:?}: {:?}", p.format);
                    assert!(reads(p.format), "{a:?}: {:?}", p.format);
                }
                let src = vec![1; 64];
                let mut out = Vec::new();
                repack(&a, &p, &src, 0, 0, &mut out);
                assert_eq!(out.len(), p.repacked_stride() as usize, "{a:?}");
            }
        }
    }
}

#[test]
fn what_vulkan_reads_goes_up_as_it_is() {
    let reads = |_| true;
    let f = |ty, n, class, bgra| {
        let p = plan(&attrib(ty, n, class, bgra), None, &reads);
        (p.format, p.converts())
    };
    use AttribClass as C;
    use AttribType as T;
    use vk::Format as V;
    assert_eq!(
        f(T::FLOAT, 3, C::FLOAT, false),
        (V::R32G32B32_SFLOAT, false)
    );
    assert_eq!(
        f(T::UNSIGNED_BYTE, 4, C::NORMALIZED, true),
        (V::B8G8R8A8_UNORM, false)
    );
    assert_eq!(f(T::BYTE, 3, C::FLOAT, false), (V::R8G8B8_SSCALED, false));
    assert_eq!(f(T::SHORT, 2, C::INTEGER, false), (V::R16G16_SINT, false));
    assert_eq!(
        f(T::INT_2_10_10_10_REV, 4, C::NORMALIZED, true),
        (V::A2R10G10B10_SNORM_PACK32, false)
    );
    assert_eq!(f(T::DOUBLE, 2, C::LONG, false), (V::R64G64_SFLOAT, false));
    assert_eq!(f(T::DOUBLE, 2, C::FLOAT, false), (V::R32G32_SFLOAT, true));
    assert_eq!(f(T::FIXED, 1, C::FLOAT, false), (V::R32_SFLOAT, true));
    assert_eq!(f(T::INT, 1, C::NORMALIZED, false), (V::R32_SFLOAT, true));
    assert_eq!(
        f(T::UNSIGNED_INT, 4, C::FLOAT, false),
        (V::R32G32B32A32_SFLOAT, true)
    );
}

#[test]
fn misaligned_elements_are_repacked() {
    let a = attrib(AttribType::FLOAT, 2, AttribClass::FLOAT, false);
    let p = plan(&a, None, &|_| true);
    assert!(!p.must_repack(8, 12));
    assert!(p.must_repack(2, 12) && p.must_repack(8, 10));
    let mut src = vec![0; 2];
    for v in [1f32, 2.0, 3.0, 4.0] {
        src.extend_from_slice(&v.to_le_bytes());
    }
    let mut out = Vec::new();
    repack(&a, &p, &src, 2, 8, &mut out);
    assert_eq!(out, src[2..]);
    let bytes = attrib(AttribType::UNSIGNED_BYTE, 3, AttribClass::NORMALIZED, false);
    let p = plan(&bytes, None, &|_| true);
    assert!(!p.must_repack(5, 3), "bytes lie anywhere");
}

fn floats(out: &[u8]) -> Vec<f32> {
    out.chunks_exact(4)
        .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect()
}

fn as_floats(a: &VertexAttrib, src: &[u8]) -> Vec<f32> {
    let p = plan(a, Some(&input(ComponentKind::Float)), &only_words);
    let mut out = Vec::new();
    repack(a, &p, src, 0, 0, &mut out);
    floats(&out)
}

#[test]
fn values_are_gls() {
    use AttribClass as C;
    use AttribType as T;
    let check = |ty, n, class, bgra, src: &[u8], expected: &[f32]| {
        let a = attrib(ty, n, class, bgra);
        assert_eq!(as_floats(&a, src), expected, "{a:?}");
    };
    check(
        T::BYTE,
        3,
        C::NORMALIZED,
        false,
        &[0x80, 127, 0],
        &[-1.0, 1.0, 0.0],
    );
    check(T::BYTE, 2, C::FLOAT, false, &[0x80, 127], &[-128.0, 127.0]);
    check(T::UNSIGNED_BYTE, 1, C::NORMALIZED, false, &[255], &[1.0]);
    check(
        T::UNSIGNED_BYTE,
        4,
        C::NORMALIZED,
        true,
        &[0, 51, 255, 102],
        &[1.0, 0.2, 0.0, 0.4],
    );
    check(
        T::SHORT,
        1,
        C::NORMALIZED,
        false,
        &(-32768i16).to_le_bytes(),
        &[-1.0],
    );
    check(
        T::INT,
        1,
        C::NORMALIZED,
        false,
        &i32::MAX.to_le_bytes(),
        &[1.0],
    );
    check(
        T::UNSIGNED_INT,
        1,
        C::FLOAT,
        false,
        &u32::MAX.to_le_bytes(),
        &[4_294_967_296.0],
    );
    check(
        T::FIXED,
        1,
        C::FLOAT,
        false,
        &0x1_8000i32.to_le_bytes(),
        &[1.5],
    );
    check(
        T::HALF_FLOAT,
        1,
        C::FLOAT,
        false,
        &0x3C00u16.to_le_bytes(),
        &[1.0],
    );
    check(T::DOUBLE, 1, C::FLOAT, false, &2.5f64.to_le_bytes(), &[2.5]);
    let packed = 1023u32 | 1 << 20 | 3 << 30;
    check(
        T::UNSIGNED_INT_2_10_10_10_REV,
        4,
        C::FLOAT,
        true,
        &packed.to_le_bytes(),
        &[1.0, 0.0, 1023.0, 3.0],
    );
    let signed = 0x200u32 | 0x1FF << 10 | 1 << 30;
    check(
        T::INT_2_10_10_10_REV,
        4,
        C::NORMALIZED,
        false,
        &signed.to_le_bytes(),
        &[-1.0, 1.0, 0.0, 1.0],
    );
    let small = 0x3C0u32 | 0x380 << 11 | 0x200 << 22;
    check(
        T::UNSIGNED_INT_10F_11F_11F_REV,
        3,
        C::FLOAT,
        false,
        &small.to_le_bytes(),
        &[1.0, 0.5, 2.0],
    );
}

#[test]
fn integers_keep_their_own_sign_when_widened() {
    let a = attrib(AttribType::UNSIGNED_BYTE, 1, AttribClass::INTEGER, false);
    let p = plan(&a, Some(&input(ComponentKind::Int)), &|_| true);
    assert_eq!((p.format, p.converts()), (vk::Format::R32_SINT, true));
    let mut out = Vec::new();
    repack(&a, &p, &[200], 0, 0, &mut out);
    assert_eq!(out, 200i32.to_le_bytes());
    let a = attrib(AttribType::SHORT, 1, AttribClass::INTEGER, false);
    let p = plan(&a, Some(&input(ComponentKind::Uint)), &|_| true);
    out.clear();
    repack(&a, &p, &(-2i16).to_le_bytes(), 0, 0, &mut out);
    assert_eq!(out, (-2i32).to_le_bytes());
    let a = attrib(AttribType::INT, 2, AttribClass::INTEGER, false);
    let p = plan(&a, Some(&input(ComponentKind::Uint)), &|_| true);
    assert_eq!((p.format, p.converts()), (vk::Format::R32G32_UINT, false));
}

#[test]
fn strides_are_followed_to_the_last_whole_element() {
    let a = attrib(AttribType::UNSIGNED_BYTE, 4, AttribClass::NORMALIZED, false);
    let p = plan(&a, None, &|_| true);
    let src: Vec<u8> = (0..16).collect();
    let run = |first, stride| {
        let mut out = Vec::new();
        repack(&a, &p, &src, first, stride, &mut out);
        out
    };
    assert_eq!(run(1, 6), [1, 2, 3, 4, 7, 8, 9, 10]);
    assert_eq!(run(1, 0), [1, 2, 3, 4]);
    assert!(run(14, 4).is_empty() && run(usize::MAX, 4).is_empty());
}

#[test]
fn current_values_have_the_shaders_type() {
    let value = |ty, bits| AttribValue {
        location: 0,
        ty,
        bits,
    };
    let one = 1f32.to_bits();
    let v = value(ValueType::FLOAT, [one, 0, 0, one, 0, 0, 0, 0]);
    let (format, bytes) = constant(&v, &input(ComponentKind::Float));
    assert_eq!(format, vk::Format::R32G32B32A32_SFLOAT);
    assert_eq!(floats(&bytes[..16]), [1.0, 0.0, 0.0, 1.0]);
    let v = value(ValueType::UINT, [7, 8, 9, 10, 0, 0, 0, 0]);
    let (format, bytes) = constant(&v, &input(ComponentKind::Uint));
    assert_eq!(format, vk::Format::R32G32B32A32_UINT);
    assert_eq!(bytes[..4], 7u32.to_le_bytes());
    let two = 2.5f64.to_bits();
    let v = value(
        ValueType::DOUBLE,
        [two as u32, (two >> 32) as u32, 0, 0, 0, 0, 0, 0],
    );
    let (format, bytes) = constant(
        &v,
        &Input {
            components: 1,
            ..input(ComponentKind::Double)
        },
    );
    assert_eq!(format, vk::Format::R64_SFLOAT);
    assert_eq!(bytes[..8], 2.5f64.to_le_bytes());
}
