/* Transform feedback: what a vertex shader writes comes back, as often as the queries say. */
#include "common.h"

typedef unsigned GLenum, GLuint, GLbitfield;
typedef int GLint, GLsizei;
extern GLenum glGetError(void);
extern void glGenVertexArrays(GLsizei, GLuint *), glBindVertexArray(GLuint);
extern GLuint glCreateShader(GLenum), glCreateProgram(void);
extern void glShaderSource(GLuint, GLsizei, const char *const *, const GLint *), glCompileShader(GLuint);
extern void glAttachShader(GLuint, GLuint), glLinkProgram(GLuint), glUseProgram(GLuint);
extern void glTransformFeedbackVaryings(GLuint, GLsizei, const char *const *, GLenum);
extern void glGetProgramiv(GLuint, GLenum, GLint *);
extern void glGenBuffers(GLsizei, GLuint *), glBindBuffer(GLenum, GLuint), glBindBufferBase(GLenum, GLuint, GLuint);
extern void glBufferData(GLenum, intptr_t, const void *, GLenum);
extern void glGetBufferSubData(GLenum, intptr_t, intptr_t, void *);
extern void glBeginTransformFeedback(GLenum), glEndTransformFeedback(void);
extern void glDrawArrays(GLenum, GLint, GLsizei), glEnable(GLenum);
extern void glGenQueries(GLsizei, GLuint *), glBeginQuery(GLenum, GLuint), glEndQuery(GLenum);
extern void glGetQueryObjectuiv(GLuint, GLenum, GLuint *);
extern void glGenRenderbuffers(GLsizei, GLuint *), glBindRenderbuffer(GLenum, GLuint);
extern void glRenderbufferStorage(GLenum, GLenum, GLsizei, GLsizei);
extern void glGenFramebuffers(GLsizei, GLuint *), glBindFramebuffer(GLenum, GLuint);
extern void glFramebufferRenderbuffer(GLenum, GLenum, GLenum, GLuint);

enum {
    VERTEX = 0x8b31, FRAGMENT = 0x8b30, LINKED = 0x8b82, INTERLEAVED = 0x8c8c, FEEDBACK = 0x8c8e, STREAM_READ = 0x88e1,
    POINTS = 0, DISCARD = 0x8c89, WRITTEN = 0x8c88, RESULT = 0x8866, RENDERBUFFER = 0x8d41, FRAMEBUFFER = 0x8d40,
    RGBA8 = 0x8058, COLOR0 = 0x8ce0, COUNT = 12,
};

int main(void) {
    EGLDisplay d = eglGetPlatformDisplay(0x31dd, NULL, NULL);
    CHECK(eglInitialize(d, NULL, NULL) && eglBindAPI(0x30a2));
    int list[] = {0x3098, 3, 0x30fb, 3, 0x30fd, 1, 0x3038};
    EGLContext c = eglCreateContext(d, NULL, NULL, list);
    CHECK(c && eglMakeCurrent(d, NULL, NULL, c));
    GLuint array, buffer, query, image, framebuffer;
    glGenRenderbuffers(1, &image);
    glBindRenderbuffer(RENDERBUFFER, image);
    glRenderbufferStorage(RENDERBUFFER, RGBA8, 4, 4);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(FRAMEBUFFER, framebuffer);
    glFramebufferRenderbuffer(FRAMEBUFFER, COLOR0, RENDERBUFFER, image);
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    const char *vertex = "#version 330\nout vec2 pair; out float square;\n"
                         "void main() { float i = float(gl_VertexID); pair = vec2(i, -i); square = i * i;\n"
                         "gl_Position = vec4(0.0, 0.0, 0.0, 1.0); }\n";
    const char *fragment = "#version 330\nout vec4 color; void main() { color = vec4(1.0); }\n";
    const char *names[] = {"pair", "square"};
    GLuint program = glCreateProgram();
    for (int i = 0; i < 2; i++) {
        GLuint shader = glCreateShader(i ? FRAGMENT : VERTEX);
        glShaderSource(shader, 1, i ? &fragment : &vertex, NULL);
        glCompileShader(shader);
        glAttachShader(program, shader);
    }
    glTransformFeedbackVaryings(program, 2, names, INTERLEAVED);
    glLinkProgram(program);
    GLint linked = 0;
    glGetProgramiv(program, LINKED, &linked);
    CHECK(linked);
    glUseProgram(program);
    glGenBuffers(1, &buffer);
    glBindBufferBase(FEEDBACK, 0, buffer);
    glBufferData(FEEDBACK, COUNT * 12, NULL, STREAM_READ);
    glGenQueries(1, &query);
    glEnable(DISCARD);
    CHECK(glGetError() == 0);

    glBeginQuery(WRITTEN, query);
    glBeginTransformFeedback(POINTS);
    glDrawArrays(POINTS, 0, 5);
    glDrawArrays(POINTS, 5, COUNT - 5);
    glEndTransformFeedback();
    glEndQuery(WRITTEN);
    CHECK(glGetError() == 0);

    GLuint written = 0;
    glGetQueryObjectuiv(query, RESULT, &written);
    CHECK(written == COUNT);
    float values[COUNT][3];
    glGetBufferSubData(FEEDBACK, 0, sizeof values, values);
    for (int i = 0; i < COUNT; i++) {
        float f = (float)i;
        CHECK(values[i][0] == f && values[i][1] == -f && values[i][2] == f * f);
    }
    CHECK(glGetError() == 0);
    puts("ok");
    return 0;
}
