/* Draws that change a uniform, a texture, a buffer's content or range, render state: on the thread that draws none of them
 * allocates. The first argument breaks it: a texture a draw. */
#include "common.h"

#define G(name, ret, ...) extern ret name(__VA_ARGS__)
G(glCreateShader, unsigned, unsigned);
G(glShaderSource, void, unsigned, int, const char *const *, const int *);
G(glCompileShader, void, unsigned);
G(glCreateProgram, unsigned, void);
G(glAttachShader, void, unsigned, unsigned);
G(glBindAttribLocation, void, unsigned, unsigned, const char *);
G(glLinkProgram, void, unsigned);
G(glUseProgram, void, unsigned);
G(glGetUniformLocation, int, unsigned, const char *);
G(glUniform4f, void, int, float, float, float, float);
G(glGenBuffers, void, int, unsigned *);
G(glBindBuffer, void, unsigned, unsigned);
G(glBufferData, void, unsigned, long, const void *, unsigned);
G(glBufferSubData, void, unsigned, long, long, const void *);
G(glVertexAttribPointer, void, unsigned, int, unsigned, unsigned char, int, const void *);
G(glEnableVertexAttribArray, void, unsigned);
G(glGenTextures, void, int, unsigned *);
G(glBindTexture, void, unsigned, unsigned);
G(glTexParameteri, void, unsigned, unsigned, int);
G(glTexImage2D, void, unsigned, int, int, int, int, int, unsigned, unsigned, const void *);
G(glEnable, void, unsigned);
G(glDisable, void, unsigned);
G(glScissor, void, int, int, int, int);
G(glDrawArrays, void, unsigned, int, int);
G(glFinish, void, void);
G(glGetError, unsigned, void);

enum {
    VERTEX = 0x8b31, FRAGMENT = 0x8b30, ARRAY = 0x8892, STREAM = 0x88e0, FLOAT = 0x1406, TEXTURE_2D = 0xde1,
    MIN_FILTER = 0x2801, NEAREST = 0x2600, RGBA = 0x1908, BYTES = 0x1401, BLEND = 0xbe2, SCISSOR = 0xc11, STRIP = 5
};

static __thread long allocations;
extern void *__libc_malloc(unsigned long), *__libc_calloc(unsigned long, unsigned long), *__libc_realloc(void *, unsigned long);
void *malloc(unsigned long n) { allocations++; return __libc_malloc(n); }
void *calloc(unsigned long n, unsigned long m) { allocations++; return __libc_calloc(n, m); }
void *realloc(void *p, unsigned long n) { allocations++; return __libc_realloc(p, n); }

static unsigned shader(unsigned kind, const char *text) {
    unsigned s = glCreateShader(kind);
    glShaderSource(s, 1, &text, NULL);
    glCompileShader(s);
    return s;
}

static unsigned textures[2];
static int place;

static void image(unsigned texture) {
    unsigned texel = ~0u;
    glBindTexture(TEXTURE_2D, texture);
    glTexParameteri(TEXTURE_2D, MIN_FILTER, NEAREST);
    glTexImage2D(TEXTURE_2D, 0, RGBA, 1, 1, 0, RGBA, BYTES, &texel);
}

static void frame(int breaks) {
    float corners[8] = {0};
    for (int i = 0; i < 64; i++) {
        glUniform4f(place, i, 0, 1, 1);
        if (i % 4 == 0)
            glBindTexture(TEXTURE_2D, textures[i / 4 % 2]);
        if (i % 8 == 0)
            (i % 16 ? glEnable : glDisable)(BLEND);
        if (i % 4 == 1)
            glBufferSubData(ARRAY, 0, sizeof corners, corners);
        if (i % 4 == 2)
            glVertexAttribPointer(0, 2, FLOAT, 0, 0, (void *)(i % 8 * 8L));
        if (i % 4 == 3)
            glScissor(0, 0, i, i);
        if (breaks) {
            unsigned t;
            glGenTextures(1, &t);
            image(t);
        }
        glDrawArrays(STRIP, 0, 4);
    }
    glFinish();
}

int main(int argc, char **argv) {
    (void)argv;
    Display *dpy = XOpenDisplay(NULL);
    CHECK(dpy);
    int list[] = {GLX_DOUBLEBUFFER, 1, 0}, count = 0;
    GLXFBConfig *configs = glXChooseFBConfig(dpy, XDefaultScreen(dpy), list, &count);
    CHECK(configs && count > 0);
    GLXContext ctx = glXCreateNewContext(dpy, configs[0], GLX_RGBA_TYPE, NULL, 1);
    XID w = XCreateSimpleWindow(dpy, XRootWindow(dpy, 0), 0, 0, 40, 30, 0, 0, 0);
    CHECK(ctx && glXMakeCurrent(dpy, w, ctx));
    unsigned program = glCreateProgram(), buffer;
    glAttachShader(program, shader(VERTEX, "#version 120\nattribute vec2 at; uniform vec4 place; varying vec2 t;\n"
                                           "void main() { t = at; gl_Position = vec4(at, 0, 1) + place; }\n"));
    glAttachShader(program, shader(FRAGMENT, "#version 120\nuniform sampler2D picture; varying vec2 t;\n"
                                             "void main() { gl_FragColor = texture2D(picture, t); }\n"));
    glBindAttribLocation(program, 0, "at");
    glLinkProgram(program);
    glUseProgram(program);
    place = glGetUniformLocation(program, "place");
    CHECK(place >= 0);
    glGenBuffers(1, &buffer);
    glBindBuffer(ARRAY, buffer);
    glBufferData(ARRAY, 256, NULL, STREAM);
    glVertexAttribPointer(0, 2, FLOAT, 0, 0, NULL);
    glEnableVertexAttribArray(0);
    glGenTextures(2, textures);
    image(textures[0]);
    image(textures[1]);
    glEnable(SCISSOR);
    for (int i = 0; i < 8; i++)
        frame(0);
    long before = allocations;
    CHECK(before > 0);
    for (int i = 0; i < 8; i++)
        frame(argc > 1);
    CHECK(glGetError() == 0);
    printf("%ld\nok\n", allocations - before);
    return 0;
}
