//! Conditionals, macros and directives, each with its line numbers.

use super::*;
use crate::shader::lex::splice;

const HINT: ProfileHint = ProfileHint {
    core: false,
    max_version: 330,
};

fn run(source: &str) -> std::result::Result<String, String> {
    let (text, splices) = splice(source);
    match preprocess(&text, &splices, HINT) {
        Ok(done) => {
            let texts: Vec<&str> = done.tokens.iter().map(|t| t.text.as_ref()).collect();
            Ok(texts.join(" "))
        }
        Err(e) => Err(format!("{}: {}", e.line, e.message)),
    }
}

fn ok(source: &str) -> String {
    run(source).unwrap_or_else(|e| panic!("{source}\n{e}"))
}

#[test]
fn object_and_function_macros() {
    assert_eq!(ok("#define A 1\nA B A"), "1 B 1");
    assert_eq!(
        ok("#define F(x, y) (x + y)\nF(1, F(2, 3)) F"),
        "( 1 + ( 2 + 3 ) ) F"
    );
    assert_eq!(ok("#define F() z\nF() F"), "z F");
    assert_eq!(ok("#define G (x)\nG"), "( x )");
    assert_eq!(ok("#define F(x) x\nF((a, b))"), "( a , b )");
    assert_eq!(ok("#define F(a,b) a b\nF(,1)"), "1");
}

#[test]
fn self_reference_stops() {
    assert_eq!(ok("#define A A + 1\nA"), "A + 1");
    assert_eq!(ok("#define A B\n#define B A\nA B"), "A B");
    assert_eq!(
        ok("#define f(x) f(x + 1)\nf(f(2))"),
        "f ( f ( 2 + 1 ) + 1 )"
    );
}

#[test]
fn rescanning_reaches_past_the_replacement() {
    assert_eq!(ok("#define F(x) [x]\n#define G F\nG(7)"), "[ 7 ]");
    assert_eq!(ok("#define LP (\n#define F(x) [x]\nF LP 7 )"), "F ( 7 )");
    assert_eq!(ok("#define F(x) [x]\nF(\n1\n)"), "[ 1 ]");
}

#[test]
fn pasting() {
    assert_eq!(
        ok("#define CAT(a, b) a ## b\nCAT(x, 1) CAT(tex, ture)"),
        "x1 texture"
    );
    assert_eq!(ok("#define X 9\n#define CAT(a, b) a ## b\nCAT(X, X)"), "XX");
    assert!(run("#define P(a) a ## \nP(1)").is_err());
    assert!(run("#define P(a) a ## +\nP(1)").is_err());
}

#[test]
fn conditionals() {
    assert_eq!(ok("#if 0\na\n#elif 1\nb\n#else\nc\n#endif\nd"), "b d");
    assert_eq!(ok("#ifdef GL_ES\nprecision mediump float;\n#endif\nx"), "x");
    assert_eq!(ok("#define A\n#ifndef A\nno\n#else\nyes\n#endif"), "yes");
    assert_eq!(
        ok("#if 0\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif"),
        "c"
    );
    assert_eq!(ok("#if 0\n#bogus\n#if junk(\n#endif\n#endif\nx"), "x");
    assert_eq!(ok("#if 1\na\n#elif 1/0\nb\n#endif"), "a");
    assert_eq!(
        ok("#if defined(A) || defined B || !defined(C)\nx\n#endif"),
        "x"
    );
    assert_eq!(
        ok("#define V 3\n#if V * 2 == 6 && (1 << 3) > 7 && ~0 == -1\nx\n#endif"),
        "x"
    );
    assert_eq!(ok("#if UNKNOWN\nx\n#endif\ny"), "y");
    assert_eq!(ok("#if 0x10 == 16 && 010 == 8\nx\n#endif"), "x");
    assert_eq!(ok("#if 1 || 1/0\nx\n#endif"), "x");
}

#[test]
fn conditional_errors() {
    assert_eq!(
        run("a\n#if 1\nb"),
        Err("2: '#if' : missing #endif".to_owned())
    );
    assert_eq!(
        run("#endif"),
        Err("1: '#endif' : no matching #if".to_owned())
    );
    assert_eq!(
        run("#if 1\n#else\n#else\n#endif"),
        Err("3: '#else' : comes after #else".to_owned())
    );
    assert_eq!(
        run("#if 1/0\n#endif"),
        Err("1: '#if' : division by zero".to_owned())
    );
    assert!(run("#if (1\n#endif").is_err());
    assert!(run("#if\n#endif").is_err());
}

#[test]
fn versions() {
    assert_eq!(ok("__VERSION__"), "110");
    assert_eq!(ok("// c\n#version 330 core\n__VERSION__"), "330");
    assert_eq!(
        ok("#version 140\n#if __VERSION__ >= 130\nnew\n#endif"),
        "new"
    );
    assert_eq!(
        run("#version 460\n"),
        Err("1: '#version' : GLSL 460 is not supported (110 to 330 are)".to_owned())
    );
    assert!(run("#version 300 es\n").is_err());
    assert!(run("#version 130 core\n").is_err());
    assert!(run("x\n#version 330\n").is_err());
    assert!(run("#version\n").is_err());
}

#[test]
fn profile_macros() {
    assert_eq!(
        ok("#version 330\nGL_core_profile GL_compatibility_profile"),
        "1 GL_compatibility_profile"
    );
    assert_eq!(
        ok("#version 330 compatibility\nGL_compatibility_profile"),
        "1"
    );
    assert_eq!(
        ok("GL_ES GL_FRAGMENT_PRECISION_HIGH VULKAN"),
        "GL_ES GL_FRAGMENT_PRECISION_HIGH VULKAN"
    );
    assert_eq!(ok("#ifdef GL_ARB_texture_rectangle\nx\n#endif"), "x");
}

#[test]
fn extensions_and_errors() {
    assert_eq!(ok("#extension GL_ARB_texture_rectangle : require\nx"), "x");
    assert_eq!(
        run("#extension GL_FOO_bar : require"),
        Err("1: '#extension' : 'GL_FOO_bar' is not supported".to_owned())
    );
    let (text, splices) = splice("#extension GL_FOO_bar : enable\nx");
    let done = preprocess(&text, &splices, HINT).expect("enabling an unknown extension warns");
    assert_eq!(
        done.warnings,
        [(1, "'#extension' : 'GL_FOO_bar' is not supported".to_owned())]
    );
    assert!(run("#extension all : enable").is_err());
    assert_eq!(ok("#extension all : disable\nx"), "x");
    assert_eq!(
        run("a\n#error no good 1"),
        Err("2: '#error' : no good 1".to_owned())
    );
    assert!(run("#bogus").is_err());
    assert!(run("#define GL_X 1").is_err());
    assert!(run("#define A 1\n#define A 2").is_err());
    assert_eq!(ok("#define A 1\n#define A 1\nA"), "1");
    assert_eq!(ok("#define A 1\n#undef A\nA"), "A");
    assert_eq!(ok("#\nx"), "x");
}

#[test]
fn lines() {
    assert_eq!(ok("a\n__LINE__\n#line 10\n__LINE__ __FILE__"), "a 2 11 0");
    assert_eq!(ok("#version 330\n#line 10\n__LINE__\n__LINE__"), "10 11");
    assert_eq!(
        ok("#version 330\n#line 10 3\n__FILE__ __LINE__\n#line 1\n__FILE__"),
        "3 10 3"
    );
    assert_eq!(
        ok("#version 330\n#define X(y) y + 3 + 2\n#line X(3) 4\n__LINE__"),
        "8"
    );
    assert!(run("#line\n").is_err() && run("#line 1 2 3\n").is_err() && run("#line -1\n").is_err());
    assert_eq!(
        run("#line 50\n\n#error here"),
        Err("52: '#error' : here".to_owned())
    );
    let marks = [LineMark {
        line: 3,
        number: 100,
        string: 2,
    }];
    assert_eq!(program_line(&marks, 2), (0, 2));
    assert_eq!(program_line(&marks, 4), (2, 100));
    assert_eq!(program_line(&marks, 6), (2, 102));
}

#[test]
fn expansion_is_bounded() {
    let mut source = String::from("#define A0 x x x x x x x x\n");
    for n in 1..20 {
        let p = n - 1;
        source.push_str(&format!(
            "#define A{n} A{p} A{p} A{p} A{p} A{p} A{p} A{p} A{p}\n"
        ));
    }
    source.push_str("A19\n");
    assert!(run(&source).is_err_and(|e| e.contains("too long")));
    let deep = format!("#define F(x) x\n{}1{}", "F(".repeat(500), ")".repeat(500));
    let refused = run(&deep).expect_err("nesting is bounded");
    assert!(refused.contains("too deeply"), "{refused}");
    let deep = format!("#if {}1{}\n#endif", "(".repeat(5000), ")".repeat(5000));
    assert!(run(&deep).is_err_and(|e| e.contains("too deeply")));
    let deep = "#if 1\n".repeat(5000);
    assert!(run(&deep).is_err());
}

#[test]
fn macro_tokens_take_the_line_of_their_use() {
    let (text, splices) = splice("#define A b + \\\n c\n\nA\nd");
    let done = preprocess(&text, &splices, HINT).expect("the text is well formed");
    let lines: Vec<u32> = done.tokens.iter().map(|t| t.line).collect();
    assert_eq!(lines, [4, 4, 4, 5]);
}
