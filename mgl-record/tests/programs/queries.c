/* Queries, conditional rendering and sync objects of a program that draws into a framebuffer of its own. */
#include "common.h"

typedef unsigned GLenum, GLuint, GLbitfield;
typedef int GLint, GLsizei;
extern GLenum glGetError(void);
extern void glGenTextures(GLsizei, GLuint *), glBindTexture(GLenum, GLuint), glTexParameteri(GLenum, GLenum, GLint);
extern void glTexImage2D(GLenum, GLint, GLint, GLsizei, GLsizei, GLint, GLenum, GLenum, const void *);
extern void glGenFramebuffers(GLsizei, GLuint *), glBindFramebuffer(GLenum, GLuint);
extern void glFramebufferTexture2D(GLenum, GLenum, GLenum, GLuint, GLint);
extern void glViewport(GLint, GLint, GLsizei, GLsizei), glClearColor(float, float, float, float), glClear(GLbitfield);
extern void glGenVertexArrays(GLsizei, GLuint *), glBindVertexArray(GLuint);
extern GLuint glCreateShader(GLenum), glCreateProgram(void);
extern void glShaderSource(GLuint, GLsizei, const char *const *, const GLint *), glCompileShader(GLuint);
extern void glAttachShader(GLuint, GLuint), glLinkProgram(GLuint), glUseProgram(GLuint);
extern void glGetProgramiv(GLuint, GLenum, GLint *), glUniform1f(GLint, float);
extern GLint glGetUniformLocation(GLuint, const char *);
extern void glDrawArrays(GLenum, GLint, GLsizei), glFinish(void);
extern void glReadPixels(GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, void *);
extern void glGenQueries(GLsizei, GLuint *), glDeleteQueries(GLsizei, const GLuint *);
extern void glBeginQuery(GLenum, GLuint), glEndQuery(GLenum), glQueryCounter(GLuint, GLenum);
extern void glGetQueryObjectuiv(GLuint, GLenum, GLuint *), glGetQueryObjectui64v(GLuint, GLenum, uint64_t *);
extern void glGetInteger64v(GLenum, int64_t *);
extern void glBeginConditionalRender(GLuint, GLenum), glEndConditionalRender(void);
extern void *glFenceSync(GLenum, GLbitfield);
extern GLenum glClientWaitSync(void *, GLbitfield, uint64_t);
extern void glWaitSync(void *, GLbitfield, uint64_t), glDeleteSync(void *);
extern void glGetSynciv(void *, GLenum, GLsizei, GLsizei *, GLint *);
extern unsigned char glIsSync(void *);

enum {
    TEXTURE_2D = 0xde1, RGBA = 0x1908, RGBA8 = 0x8058, BYTES = 0x1401, FRAMEBUFFER = 0x8d40, COLOR0 = 0x8ce0,
    MIN_FILTER = 0x2801, NEAREST = 0x2600, COLOR_BIT = 0x4000, VERTEX = 0x8b31, FRAGMENT = 0x8b30, LINKED = 0x8b82,
    TRIANGLES = 4, SAMPLES = 0x8914, ANY_SAMPLES = 0x8c2f, ELAPSED = 0x88bf, TIMESTAMP = 0x8e28, RESULT = 0x8866,
    AVAILABLE = 0x8867, WAIT = 0x8e13, NO_WAIT = 0x8e14, COMPLETE = 0x9117, FLUSH = 1, ALREADY = 0x911a,
    SATISFIED = 0x911c, STATUS = 0x9114, SIGNALED = 0x9119,
};

static GLint offset;

/* A triangle over the whole framebuffer, or beside it. */
static void draw(int visible) {
    glUniform1f(offset, visible ? 0.0f : 8.0f);
    glDrawArrays(TRIANGLES, 0, 3);
}

static unsigned pixel(void) {
    unsigned value = 0;
    glReadPixels(3, 4, 1, 1, RGBA, BYTES, &value);
    return value;
}

static void clear(void) {
    glClearColor(1, 0, 0, 1);
    glClear(COLOR_BIT);
}

enum { RED = 0xff0000ff, GREEN = 0xff00ff00 };

static void setup(void) {
    EGLDisplay d = eglGetPlatformDisplay(0x31dd, NULL, NULL);
    CHECK(eglInitialize(d, NULL, NULL) && eglBindAPI(0x30a2));
    int list[] = {0x3098, 3, 0x30fb, 3, 0x30fd, 1, 0x3038};
    EGLContext c = eglCreateContext(d, NULL, NULL, list);
    CHECK(c && eglMakeCurrent(d, NULL, NULL, c));
    GLuint texture, framebuffer, array;
    glGenTextures(1, &texture);
    glBindTexture(TEXTURE_2D, texture);
    glTexImage2D(TEXTURE_2D, 0, RGBA8, 8, 8, 0, RGBA, BYTES, NULL);
    glTexParameteri(TEXTURE_2D, MIN_FILTER, NEAREST);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(FRAMEBUFFER, COLOR0, TEXTURE_2D, texture, 0);
    glViewport(0, 0, 8, 8);
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    const char *vertex = "#version 330\nuniform float offset;\n"
                         "void main() { vec2 p = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0;\n"
                         "gl_Position = vec4(p.x + offset, p.y, 0.0, 1.0); }\n";
    const char *fragment = "#version 330\nout vec4 color; void main() { color = vec4(0.0, 1.0, 0.0, 1.0); }\n";
    GLuint program = glCreateProgram();
    for (int i = 0; i < 2; i++) {
        GLuint shader = glCreateShader(i ? FRAGMENT : VERTEX);
        glShaderSource(shader, 1, i ? &fragment : &vertex, NULL);
        glCompileShader(shader);
        glAttachShader(program, shader);
    }
    glLinkProgram(program);
    GLint linked = 0;
    glGetProgramiv(program, LINKED, &linked);
    CHECK(linked);
    glUseProgram(program);
    offset = glGetUniformLocation(program, "offset");
    CHECK(glGetError() == 0);
}

static void occlusion(GLenum target) {
    GLuint q[2], result = 7, there = 0;
    glGenQueries(2, q);
    clear();
    for (int visible = 0; visible < 2; visible++) {
        glBeginQuery(target, q[visible]);
        draw(visible);
        glEndQuery(target);
    }
    while (!there) glGetQueryObjectuiv(q[1], AVAILABLE, &there);
    glGetQueryObjectuiv(q[1], RESULT, &result);
    CHECK(result != 0);
    if (target == ANY_SAMPLES) CHECK(result == 1);
    glGetQueryObjectuiv(q[0], RESULT, &result);
    CHECK(result == 0);
    /* Draws and clears that depend on a query happen, or not. */
    GLenum modes[] = {WAIT, NO_WAIT};
    for (int i = 0; i < 2; i++) {
        clear();
        glBeginConditionalRender(q[0], modes[i]);
        draw(1);
        glEndConditionalRender();
        CHECK(pixel() == RED);
        glBeginConditionalRender(q[1], modes[i]);
        draw(1);
        glEndConditionalRender();
        CHECK(pixel() == GREEN);
        glBeginConditionalRender(q[0], modes[i]);
        clear();
        glEndConditionalRender();
        CHECK(pixel() == GREEN);
    }
    glDeleteQueries(2, q);
    CHECK(glGetError() == 0);
}

static void times(void) {
    GLuint q[3];
    uint64_t first = 0, last = 0, spent = 0;
    int64_t now = 0;
    glGenQueries(3, q);
    glQueryCounter(q[0], TIMESTAMP);
    glBeginQuery(ELAPSED, q[1]);
    draw(1);
    glEndQuery(ELAPSED);
    glQueryCounter(q[2], TIMESTAMP);
    glGetQueryObjectui64v(q[0], RESULT, &first);
    glGetQueryObjectui64v(q[1], RESULT, &spent);
    glGetQueryObjectui64v(q[2], RESULT, &last);
    glGetInteger64v(TIMESTAMP, &now);
    CHECK(first > 0 && first <= last && last <= (uint64_t)now);
    CHECK(spent <= (uint64_t)now - first);
    CHECK(glGetError() == 0);
}

static void *waiter(void *sync) {
    /* Without a context nothing is known of syncs. */
    return (void *)(intptr_t)glIsSync(sync);
}

static void syncs(void) {
    for (int i = 0; i < 50; i++) {
        draw(1);
        void *sync = glFenceSync(COMPLETE, 0);
        CHECK(sync && glIsSync(sync));
        glWaitSync(sync, 0, ~0ull);
        GLenum answer = glClientWaitSync(sync, FLUSH, i % 2 ? ~0ull : 5000000000ull);
        CHECK(answer == ALREADY || answer == SATISFIED);
        CHECK(glClientWaitSync(sync, 0, 0) == ALREADY);
        GLint status = 0;
        GLsizei length = 0;
        glGetSynciv(sync, STATUS, 1, &length, &status);
        CHECK(length == 1 && status == SIGNALED);
        if (i == 0) {
            pthread_t thread;
            void *known = sync;
            CHECK(!pthread_create(&thread, NULL, waiter, sync) && !pthread_join(thread, &known));
            CHECK(!known);
        }
        glDeleteSync(sync);
        CHECK(!glIsSync(sync));
    }
    CHECK(glGetError() == 0);
}

int main(void) {
    setup();
    occlusion(SAMPLES);
    occlusion(ANY_SAMPLES);
    times();
    syncs();
    puts("ok");
    return 0;
}
