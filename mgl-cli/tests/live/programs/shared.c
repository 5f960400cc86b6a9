/* Objects of a share group: one context changes them, another one draws with them. shared MODE. Eight frames.
 *
 *   texture   rectangles of a texture that the other context has drawn with already
 *   levels    another base level and another size, under the same name
 *   buffer    bytes of a vertex buffer
 *   target    a texture that the one draws into and the other one samples
 */
#include "common.h"

enum {
    FRAMES = 8, SIDE = 32,
    COLOR = 0x4000, STRIP = 5, FLOAT = 0x1406, ARRAY = 0x8892, DYNAMIC_DRAW = 0x88e8, TEXTURE_2D = 0xde1, RGBA8 = 0x8058,
    RGBA = 0x1908, BYTES = 0x1401, MIN_FILTER = 0x2801, MAG_FILTER = 0x2800, NEAREST = 0x2600, NEAREST_MIPMAP = 0x2700,
    BASE_LEVEL = 0x813c, MAX_LEVEL = 0x813d, VERTEX = 0x8b31, FRAGMENT = 0x8b30, LINKED = 0x8b82, FRAMEBUFFER = 0x8d40,
    COLOR0 = 0x8ce0, COMPLETE = 0x8cd5,
};
typedef unsigned U;
extern void glClearColor(float, float, float, float), glClear(U), glViewport(int, int, int, int), glFinish(void);
extern void glDrawArrays(U, int, int);
extern U glGetError(void), glCreateShader(U), glCreateProgram(void), glCheckFramebufferStatus(U);
extern void glShaderSource(U, int, const char *const *, const int *), glCompileShader(U), glAttachShader(U, U);
extern void glLinkProgram(U), glGetProgramiv(U, U, int *), glUseProgram(U);
extern void glGenVertexArrays(int, U *), glBindVertexArray(U), glEnableVertexAttribArray(U);
extern void glVertexAttribPointer(U, int, U, unsigned char, int, const void *);
extern void glGenBuffers(int, U *), glBindBuffer(U, U), glBufferData(U, long, const void *, U);
extern void glBufferSubData(U, long, long, const void *);
extern void glGenTextures(int, U *), glBindTexture(U, U), glTexParameteri(U, U, int);
extern void glTexImage2D(U, int, int, int, int, int, U, U, const void *);
extern void glTexSubImage2D(U, int, int, int, int, int, U, U, const void *);
extern void glGenFramebuffers(int, U *), glBindFramebuffer(U, U), glFramebufferTexture2D(U, U, U, U, int);

static Display *dpy;
static XID window;
static GLXContext changes, draws;
static U texture, buffer, framebuffer;
static const float CORNERS[] = {-0.9f, -0.9f, 0.9f, -0.9f, -0.9f, 0.9f, 0.9f, 0.9f};

static void in(GLXContext context) { CHECK(glXMakeCurrent(dpy, window, context)); }

static void attach(U program, U stage, const char *text) {
    U shader = glCreateShader(stage);
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    glAttachShader(program, shader);
}

/* Side x side texels of one colour that tells n and what. */
static const void *texels(int side, int n, int what) {
    static unsigned char all[SIDE * SIDE * 4];
    for (int i = 0; i < side * side; i++) {
        all[4 * i] = 20 + 25 * n, all[4 * i + 1] = 40 * what, all[4 * i + 2] = 10 * (i % 16), all[4 * i + 3] = 255;
    }
    return all;
}

static void set_up(void) {
    U program, array;
    int linked = 0;
    in(changes);
    glGenTextures(1, &texture);
    glBindTexture(TEXTURE_2D, texture);
    glTexImage2D(TEXTURE_2D, 0, RGBA8, SIDE, SIDE, 0, RGBA, BYTES, texels(SIDE, 0, 1));
    glTexImage2D(TEXTURE_2D, 1, RGBA8, SIDE / 2, SIDE / 2, 0, RGBA, BYTES, texels(SIDE / 2, 0, 2));
    glTexParameteri(TEXTURE_2D, MAX_LEVEL, 1);
    glTexParameteri(TEXTURE_2D, MIN_FILTER, NEAREST_MIPMAP);
    glTexParameteri(TEXTURE_2D, MAG_FILTER, NEAREST);
    glGenBuffers(1, &buffer);
    glBindBuffer(ARRAY, buffer);
    glBufferData(ARRAY, sizeof CORNERS, CORNERS, DYNAMIC_DRAW);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(FRAMEBUFFER, COLOR0, TEXTURE_2D, texture, 0);
    CHECK(glCheckFramebufferStatus(FRAMEBUFFER) == COMPLETE);
    glFinish();

    in(draws);
    program = glCreateProgram();
    attach(program, VERTEX,
           "#version 330\nlayout(location = 0) in vec2 place; out vec2 at; void main() {"
           " at = place * 0.5 + 0.5; gl_Position = vec4(place, 0.0, 1.0); }");
    attach(program, FRAGMENT,
           "#version 330\nin vec2 at; uniform sampler2D picture; out vec4 color;"
           " void main() { color = textureLod(picture, at, 0.0); }");
    glLinkProgram(program);
    glGetProgramiv(program, LINKED, &linked);
    CHECK(linked);
    glUseProgram(program);
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    glEnableVertexAttribArray(0);
}

static void change(const char *mode, int n) {
    if (strcmp(mode, "texture") == 0) {
        glTexSubImage2D(TEXTURE_2D, 0, 2 * n, n, 8, 8, RGBA, BYTES, texels(8, n, 3));
        glTexSubImage2D(TEXTURE_2D, 0, 30 - 2 * n, 20, 2, 4, RGBA, BYTES, texels(8, n, 5));
    } else if (strcmp(mode, "levels") == 0) {
        glTexParameteri(TEXTURE_2D, BASE_LEVEL, n % 2);
        if (n == 4) {
            glTexImage2D(TEXTURE_2D, 0, RGBA8, 8, 8, 0, RGBA, BYTES, texels(8, n, 4));
            glTexImage2D(TEXTURE_2D, 1, RGBA8, 4, 4, 0, RGBA, BYTES, texels(4, n, 5));
        }
    } else if (strcmp(mode, "buffer") == 0) {
        const float moved[] = {-0.9f + 0.1f * n, 0.9f - 0.1f * n};
        glBufferSubData(ARRAY, 4 * sizeof(float), sizeof moved, moved);
    } else {
        /* Attached anew: Mesa gives the texture other memory when the other context first samples it. */
        glFramebufferTexture2D(FRAMEBUFFER, COLOR0, TEXTURE_2D, texture, 0);
        glViewport(0, 0, SIDE, SIDE);
        glClearColor(n / 15.0f, 1 - n / 15.0f, 0.2f, 1);
        glClear(COLOR);
    }
    glFinish();
    CHECK(glGetError() == 0);
}

int main(int argc, char **argv) {
    int count, doubled[] = {GLX_DOUBLEBUFFER, 1, GLX_RED_SIZE, 8, 0};
    int core[] = {GLX_CONTEXT_MAJOR, 3, GLX_CONTEXT_MINOR, 3, GLX_CONTEXT_PROFILE, 1, 0};
    CHECK(argc > 1 && (dpy = XOpenDisplay(NULL)));
    window = XCreateSimpleWindow(dpy, XRootWindow(dpy, XDefaultScreen(dpy)), 0, 0, SIDE, SIDE, 0, 0, 0);
    XMapWindow(dpy, window);
    GLXFBConfig *configs = glXChooseFBConfig(dpy, XDefaultScreen(dpy), doubled, &count);
    CHECK(configs && count > 0);
    changes = glXCreateContextAttribsARB(dpy, configs[0], NULL, 1, core);
    draws = glXCreateContextAttribsARB(dpy, configs[0], changes, 1, core);
    CHECK(changes && draws);
    set_up();
    for (int n = 0; n < FRAMES; n++) {
        /* The first frame draws with what was there: the change comes after a use. */
        if (n > 0) {
            in(changes);
            change(argv[1], n);
        }
        in(draws);
        glViewport(0, 0, SIDE, SIDE);
        glClearColor(0, 0, 0, 1);
        glClear(COLOR);
        /* What another context has changed is seen once it is bound again. */
        glBindTexture(TEXTURE_2D, texture);
        glBindBuffer(ARRAY, buffer);
        glVertexAttribPointer(0, 2, FLOAT, 0, 0, NULL);
        glDrawArrays(STRIP, 0, 4);
        CHECK(glGetError() == 0);
        glXSwapBuffers(dpy, window);
    }
    printf("ok\n");
    return 0;
}
