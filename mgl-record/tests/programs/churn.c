/* Makes, uses and ends objects again and again: churn KIND ROUNDS [keep]. With `keep` one object a round is left alive. */
#include "common.h"

enum {
    MANY = 16,
    TEXTURE_2D = 0xde1, RGBA = 0x1908, RGBA8 = 0x8058, BYTES = 0x1401, FLOAT = 0x1406, FRAMEBUFFER = 0x8d40,
    RENDERBUFFER = 0x8d41, COLOR0 = 0x8ce0, MIN_FILTER = 0x2801, NEAREST = 0x2600, LINEAR = 0x2601, WRAP_S = 0x2802,
    CLAMP = 0x812f, REPEAT = 0x2901, VERTEX = 0x8b31, FRAGMENT = 0x8b30, LINKED = 0x8b82, TRIANGLES = 4, POINTS = 0,
    ARRAY = 0x8892, STATIC_DRAW = 0x88e4, SAMPLES_PASSED = 0x8914, RESULT = 0x8866, SYNC_DONE = 0x9117,
    FEEDBACK_BUFFER = 0x8c8e, INTERLEAVED = 0x8c8c, BLEND = 0xbe2,
};
typedef unsigned U;
extern U glGetError(void), glCreateShader(U), glCreateProgram(void);
extern void glGenTextures(int, U *), glBindTexture(U, U), glTexParameteri(U, U, int), glDeleteTextures(int, const U *);
extern void glTexImage2D(U, int, int, int, int, int, U, U, const void *);
extern void glGenFramebuffers(int, U *), glBindFramebuffer(U, U), glDeleteFramebuffers(int, const U *);
extern void glFramebufferTexture2D(U, U, U, U, int), glFramebufferRenderbuffer(U, U, U, U);
extern void glGenRenderbuffers(int, U *), glBindRenderbuffer(U, U), glDeleteRenderbuffers(int, const U *);
extern void glRenderbufferStorage(U, U, int, int), glClear(U), glViewport(int, int, int, int);
extern void glGenVertexArrays(int, U *), glBindVertexArray(U), glDeleteVertexArrays(int, const U *);
extern void glGenBuffers(int, U *), glBindBuffer(U, U), glBufferData(U, long, const void *, U), glDeleteBuffers(int, const U *);
extern void glBindBufferBase(U, U, U), glEnableVertexAttribArray(U);
extern void glVertexAttribPointer(U, int, U, unsigned char, int, const void *);
extern void glShaderSource(U, int, const char *const *, const int *), glCompileShader(U), glAttachShader(U, U);
extern void glLinkProgram(U), glUseProgram(U), glDeleteShader(U), glDeleteProgram(U), glGetProgramiv(U, U, int *);
extern void glTransformFeedbackVaryings(U, int, const char *const *, U);
extern void glBeginTransformFeedback(U), glEndTransformFeedback(void);
extern void glGenSamplers(int, U *), glBindSampler(U, U), glSamplerParameteri(U, U, int), glDeleteSamplers(int, const U *);
extern void glGenQueries(int, U *), glBeginQuery(U, U), glEndQuery(U), glDeleteQueries(int, const U *);
extern void glGetQueryObjectuiv(U, U, U *);
extern void *glFenceSync(U, U);
extern U glClientWaitSync(void *, U, uint64_t);
extern void glDeleteSync(void *), glDrawArrays(U, int, int), glEnable(U), glDisable(U), glBlendFunc(U, U), glFinish(void);

static EGLDisplay egl;
static EGLConfig config;
static EGLContext context;
static U program, other_program;
static int keep;

static U new_program(const char *color, int captured) {
    const char *vertex = "#version 330\nlayout(location = 0) in vec4 place; out vec4 at;\n"
                         "void main() { at = place; gl_Position = place; }\n";
    char fragment[256];
    snprintf(fragment, sizeof fragment,
             "#version 330\nuniform sampler2D picture; out vec4 color;\n"
             "void main() { color = texture(picture, vec2(0.5)) + vec4(%s); }\n", color);
    const char *texts[] = {vertex, fragment}, *varying = "at";
    U made = glCreateProgram();
    for (int i = 0; i < 2; i++) {
        U shader = glCreateShader(i ? FRAGMENT : VERTEX);
        glShaderSource(shader, 1, &texts[i], NULL);
        glCompileShader(shader);
        glAttachShader(made, shader);
        glDeleteShader(shader);
    }
    if (captured) glTransformFeedbackVaryings(made, 1, &varying, INTERLEAVED);
    glLinkProgram(made);
    int linked = 0;
    glGetProgramiv(made, LINKED, &linked);
    CHECK(linked);
    return made;
}

static void draw(void) { glDrawArrays(TRIANGLES, 0, 3); }

static void fill_texture(int side) {
    static unsigned char texels[64 * 64 * 4];
    glTexImage2D(TEXTURE_2D, 0, RGBA8, side, side, 0, RGBA, BYTES, texels);
    glTexParameteri(TEXTURE_2D, MIN_FILTER, NEAREST);
}

/* Each: makes the i-th object of a round, draws with it, and ends it. */

static void buffers(int i) {
    static const float corners[64];
    U made;
    glGenBuffers(1, &made);
    glBindBuffer(ARRAY, made);
    glBufferData(ARRAY, 48 + i, corners, STATIC_DRAW);
    glVertexAttribPointer(0, 4, FLOAT, 0, 0, NULL);
    draw();
    if (!keep) glDeleteBuffers(1, &made);
}

static void textures(int i) {
    U made;
    glGenTextures(1, &made);
    glBindTexture(TEXTURE_2D, made);
    fill_texture(1 + i);
    draw();
    if (!keep) glDeleteTextures(1, &made);
}

static void renderbuffers(int i) {
    U made, target;
    glGenRenderbuffers(1, &made);
    glBindRenderbuffer(RENDERBUFFER, made);
    glRenderbufferStorage(RENDERBUFFER, RGBA8, 8 + i, 8);
    glGenFramebuffers(1, &target);
    glBindFramebuffer(FRAMEBUFFER, target);
    glFramebufferRenderbuffer(FRAMEBUFFER, COLOR0, RENDERBUFFER, made);
    draw();
    glBindFramebuffer(FRAMEBUFFER, 0);
    glDeleteFramebuffers(1, &target);
    if (!keep) glDeleteRenderbuffers(1, &made);
}

static void framebuffers(int i) {
    static U picture;
    U made;
    if (!picture) {
        glGenTextures(1, &picture);
        glBindTexture(TEXTURE_2D, picture);
        fill_texture(8);
        glBindTexture(TEXTURE_2D, 0);
    }
    (void)i;
    glGenFramebuffers(1, &made);
    glBindFramebuffer(FRAMEBUFFER, made);
    glFramebufferTexture2D(FRAMEBUFFER, COLOR0, TEXTURE_2D, picture, 0);
    draw();
    glBindFramebuffer(FRAMEBUFFER, 0);
    if (!keep) glDeleteFramebuffers(1, &made);
}

static void programs(int i) {
    char color[16];
    snprintf(color, sizeof color, "0.%02d", i);
    U made = new_program(color, 0);
    glUseProgram(made);
    draw();
    glUseProgram(program);
    if (!keep) glDeleteProgram(made);
}

static void samplers(int i) {
    U made;
    glGenSamplers(1, &made);
    glSamplerParameteri(made, MIN_FILTER, i & 1 ? NEAREST : LINEAR);
    glSamplerParameteri(made, WRAP_S, i & 2 ? CLAMP : REPEAT);
    glBindSampler(0, made);
    draw();
    glBindSampler(0, 0);
    if (!keep) glDeleteSamplers(1, &made);
}

static void vertex_arrays(int i) {
    U made, old;
    glGenVertexArrays(1, &made);
    glGenBuffers(1, &old);
    glBindVertexArray(made);
    glBindBuffer(ARRAY, old);
    glBufferData(ARRAY, 512, NULL, STATIC_DRAW);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 1 + i % 4, FLOAT, 0, 16 + 4 * (i / 4), NULL);
    draw();
    glBindVertexArray(1);
    glDeleteVertexArrays(1, &made);
    if (!keep) glDeleteBuffers(1, &old);
}

static void queries(int i) {
    U made, result = 0;
    (void)i;
    glGenQueries(1, &made);
    glBeginQuery(SAMPLES_PASSED, made);
    draw();
    glEndQuery(SAMPLES_PASSED);
    glGetQueryObjectuiv(made, RESULT, &result);
    if (!keep) glDeleteQueries(1, &made);
}

static void fences(int i) {
    draw();
    void *made = glFenceSync(SYNC_DONE, 0);
    CHECK(made);
    if (i & 1) glClientWaitSync(made, 1, 1000000000);
    if (!keep) glDeleteSync(made);
}

static void feedback(int i) {
    U made;
    glUseProgram(other_program);
    glGenBuffers(1, &made);
    glBindBufferBase(FEEDBACK_BUFFER, 0, made);
    glBufferData(FEEDBACK_BUFFER, 256 + 16 * i, NULL, STATIC_DRAW);
    glBeginTransformFeedback(POINTS);
    glDrawArrays(POINTS, 0, 3);
    glEndTransformFeedback();
    glBindBufferBase(FEEDBACK_BUFFER, 0, 0);
    glUseProgram(program);
    if (!keep) glDeleteBuffers(1, &made);
}

static void render_states(int i) {
    glEnable(BLEND);
    glBlendFunc(1 + (i & 1) * 0x301, i & 2 ? 0 : 1);
    draw();
    glDisable(BLEND);
    if (keep) buffers(i);
}

static void contexts(int i) {
    int list[] = {0x3098, 3, 0x30fb, 3, 0x30fd, 1, 0x3038}, size[] = {0x3057, 8, 0x3056, 8, 0x3038};
    EGLContext made = eglCreateContext(egl, config, i & 1 ? context : NULL, list);
    EGLSurface surface = eglCreatePbufferSurface(egl, config, size);
    CHECK(made && surface && eglMakeCurrent(egl, surface, surface, made));
    glClear(0x4000);
    glFinish();
    CHECK(eglMakeCurrent(egl, NULL, NULL, context));
    CHECK(eglDestroySurface(egl, surface));
    if (!keep) CHECK(eglDestroyContext(egl, made));
}

static const struct { const char *name; void (*one)(int); } KINDS[] = {
    {"buffers", buffers}, {"textures", textures}, {"renderbuffers", renderbuffers}, {"framebuffers", framebuffers},
    {"programs", programs}, {"samplers", samplers}, {"vertex_arrays", vertex_arrays}, {"queries", queries},
    {"fences", fences}, {"feedback", feedback}, {"render_states", render_states}, {"contexts", contexts},
};

static void set_up(void) {
    int list[] = {0x3098, 3, 0x30fb, 3, 0x30fd, 1, 0x3038}, count = 0;
    int wanted[] = {0x3024, 8, 0x3033, 1, 0x3040, 8, 0x3038};
    egl = eglGetPlatformDisplay(0x31dd, NULL, NULL);
    CHECK(eglInitialize(egl, NULL, NULL) && eglBindAPI(0x30a2));
    CHECK(eglChooseConfig(egl, wanted, &config, 1, &count) && count == 1);
    context = eglCreateContext(egl, config, NULL, list);
    CHECK(context && eglMakeCurrent(egl, NULL, NULL, context));
    U array, picture, target, corners;
    glGenTextures(1, &picture);
    glBindTexture(TEXTURE_2D, picture);
    fill_texture(8);
    glGenFramebuffers(1, &target);
    glBindFramebuffer(FRAMEBUFFER, target);
    glFramebufferTexture2D(FRAMEBUFFER, COLOR0, TEXTURE_2D, picture, 0);
    glBindTexture(TEXTURE_2D, 0);
    glViewport(0, 0, 8, 8);
    glGenVertexArrays(1, &array);
    CHECK(array == 1);
    glBindVertexArray(array);
    glGenBuffers(1, &corners);
    glBindBuffer(ARRAY, corners);
    glBufferData(ARRAY, 256, NULL, STATIC_DRAW);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 4, FLOAT, 0, 0, NULL);
    program = new_program("0.5", 0);
    other_program = new_program("0.25", 1);
    glUseProgram(program);
}

int main(int argc, char **argv) {
    CHECK(argc > 2);
    int rounds = atoi(argv[2]), kept = argc > 3;
    set_up();
    for (unsigned k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
        if (strcmp(KINDS[k].name, argv[1]) != 0) continue;
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < MANY; i++) {
                keep = kept && i == 0;
                KINDS[k].one(i);
                CHECK(glGetError() == 0);
            }
        }
        glFinish();
        printf("ok\n");
        return 0;
    }
    fprintf(stderr, "no kind %s\n", argv[1]);
    return 1;
}
