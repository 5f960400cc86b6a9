/* Programs that go by what GL answers, or by where their memory lies: asks MODE [ARGUMENT]. Eight frames.
 *
 *   arrays low|high   client arrays, of which the first one lies before or behind the second
 *   maps              writes through mapped buffers, and draws what it reads back through others
 *   reads             shows a texture of what it read from the frame before
 *   query             draws a second triangle when the first one was seen
 *   renderer          clears to a colour made of GL_RENDERER
 */
#include "common.h"

enum {
    FRAMES = 8, SIDE = 32,
    COLOR = 0x4000, TRIANGLES = 4, FLOAT = 0x1406, ARRAY = 0x8892, STREAM_DRAW = 0x88e0, MAP_READ = 1, MAP_WRITE = 2,
    MAP_INVALIDATE = 8, TEXTURE_2D = 0xde1, RGBA8 = 0x8058, RGBA = 0x1908, BYTES = 0x1401, MIN_FILTER = 0x2801,
    NEAREST = 0x2600, VERTEX = 0x8b31, FRAGMENT = 0x8b30, LINKED = 0x8b82, SAMPLES_PASSED = 0x8914, RESULT = 0x8866,
    RENDERER = 0x1f01,
};
extern void glClearColor(float, float, float, float);
extern void glClear(unsigned);
extern void glDrawArrays(unsigned, int, int);
extern void glReadPixels(int, int, int, int, unsigned, unsigned, void *);
extern const unsigned char *glGetString(unsigned);
extern unsigned glGetError(void);
extern unsigned glCreateShader(unsigned);
extern void glShaderSource(unsigned, int, const char *const *, const int *);
extern void glCompileShader(unsigned);
extern unsigned glCreateProgram(void);
extern void glAttachShader(unsigned, unsigned);
extern void glBindAttribLocation(unsigned, unsigned, const char *);
extern void glLinkProgram(unsigned);
extern void glGetProgramiv(unsigned, unsigned, int *);
extern void glUseProgram(unsigned);
extern void glEnableVertexAttribArray(unsigned);
extern void glVertexAttribPointer(unsigned, int, unsigned, unsigned char, int, const void *);
extern void glGenBuffers(int, unsigned *);
extern void glBindBuffer(unsigned, unsigned);
extern void glBufferData(unsigned, long, const void *, unsigned);
extern void *glMapBufferRange(unsigned, long, long, unsigned);
extern unsigned char glUnmapBuffer(unsigned);
extern void glGenTextures(int, unsigned *);
extern void glBindTexture(unsigned, unsigned);
extern void glTexParameteri(unsigned, unsigned, int);
extern void glTexImage2D(unsigned, int, int, int, int, int, unsigned, unsigned, const void *);
extern void glTexSubImage2D(unsigned, int, int, int, int, int, unsigned, unsigned, const void *);
extern void glGenQueries(int, unsigned *);
extern void glBeginQuery(unsigned, unsigned);
extern void glEndQuery(unsigned);
extern void glGetQueryObjectuiv(unsigned, unsigned, unsigned *);

static const char *argument;

static void attach(unsigned program, unsigned stage, const char *text) {
    unsigned shader = glCreateShader(stage);
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    glAttachShader(program, shader);
}

static void set_up(void) {
    unsigned program = glCreateProgram(), texture, white = 0xffffffff;
    int linked = 0;
    attach(program, VERTEX,
           "#version 120\nattribute vec2 place; attribute vec3 tint; varying vec3 color; void main() {"
           " gl_Position = vec4(place, 0.0, 1.0); color = tint; }");
    attach(program, FRAGMENT,
           "#version 120\nvarying vec3 color; uniform sampler2D picture; void main() {"
           " gl_FragColor = vec4(color, 1.0) * texture2D(picture, gl_FragCoord.xy / 32.0); }");
    glBindAttribLocation(program, 0, "place");
    glBindAttribLocation(program, 1, "tint");
    glLinkProgram(program);
    glGetProgramiv(program, LINKED, &linked);
    CHECK(linked);
    glUseProgram(program);
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    glGenTextures(1, &texture);
    glBindTexture(TEXTURE_2D, texture);
    glTexParameteri(TEXTURE_2D, MIN_FILTER, NEAREST);
    glTexImage2D(TEXTURE_2D, 0, RGBA8, 1, 1, 0, RGBA, BYTES, &white);
}

static const float PLACES[] = {-0.9f, -0.9f, 0.9f, -0.9f, 0.0f, 0.9f}, TINTS[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static void arrays(int n) {
    static char memory[4096];
    int high = strcmp(argument, "high") == 0;
    float *places = (float *)(memory + (high ? 2048 : 64)), *tints = (float *)(memory + (high ? 64 : 2048));
    memcpy(places, PLACES, sizeof PLACES);
    memcpy(tints, TINTS, sizeof TINTS);
    tints[0] = n / 8.0f;
    glVertexAttribPointer(0, 2, FLOAT, 0, 0, places);
    glVertexAttribPointer(1, 3, FLOAT, 0, 0, tints);
    glDrawArrays(TRIANGLES, 0, 3);
}

/* Bytes through a mapping into a new buffer, which is left bound. */
static void write_mapped(const void *bytes, long size, int scale) {
    unsigned buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(ARRAY, buffer);
    glBufferData(ARRAY, size, NULL, STREAM_DRAW);
    float *to = glMapBufferRange(ARRAY, 0, size, MAP_WRITE | MAP_INVALIDATE);
    CHECK(to);
    for (long i = 0; i < size / 4; i++) to[i] = ((const float *)bytes)[i] * scale / 8.0f;
    CHECK(glUnmapBuffer(ARRAY));
}

static void maps(int n) {
    float copy[9];
    write_mapped(PLACES, sizeof PLACES, 8);
    glVertexAttribPointer(0, 2, FLOAT, 0, 0, NULL);
    write_mapped(TINTS, sizeof TINTS, n + 1);
    const float *from = glMapBufferRange(ARRAY, 0, sizeof TINTS, MAP_READ);
    CHECK(from);
    memcpy(copy, from, sizeof copy);
    CHECK(glUnmapBuffer(ARRAY));
    write_mapped(copy, sizeof copy, 4);
    glVertexAttribPointer(1, 3, FLOAT, 0, 0, NULL);
    glDrawArrays(TRIANGLES, 0, 3);
}

static void reads(int n) {
    static unsigned char pixels[4 * 4 * 4];
    if (n == 0) memset(pixels, 255, sizeof pixels);
    glTexImage2D(TEXTURE_2D, 0, RGBA8, 4, 4, 0, RGBA, BYTES, pixels);
    arrays(n);
    glReadPixels(14, 8, 4, 4, RGBA, BYTES, pixels);
}

static void query(int n) {
    static unsigned name;
    unsigned seen = 0;
    if (!name) glGenQueries(1, &name);
    glBeginQuery(SAMPLES_PASSED, name);
    arrays(n);
    glEndQuery(SAMPLES_PASSED);
    glGetQueryObjectuiv(name, RESULT, &seen);
    if (seen) glDrawArrays(TRIANGLES, 0, 3);
}

static void renderer(int n) {
    unsigned sum = n;
    for (const unsigned char *c = glGetString(RENDERER); *c; c++) sum = sum * 31 + *c;
    glClearColor((sum & 255) / 255.0f, 0, 0, 1);
    glClear(COLOR);
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    argument = argc > 2 ? argv[2] : "low";
    void (*frame)(int) = strcmp(mode, "arrays") == 0     ? arrays
                         : strcmp(mode, "maps") == 0     ? maps
                         : strcmp(mode, "reads") == 0    ? reads
                         : strcmp(mode, "query") == 0    ? query
                         : strcmp(mode, "renderer") == 0 ? renderer
                                                         : NULL;
    CHECK(frame);
    Display *dpy = XOpenDisplay(NULL);
    CHECK(dpy);
    int doubled[] = {GLX_RGBA, GLX_DOUBLEBUFFER, 0};
    XVisualInfo *visual = glXChooseVisual(dpy, XDefaultScreen(dpy), doubled);
    CHECK(visual);
    XID window = XCreateSimpleWindow(dpy, XRootWindow(dpy, visual->screen), 0, 0, SIDE, SIDE, 0, 0, 0);
    XMapWindow(dpy, window);
    GLXContext context = glXCreateContext(dpy, visual, NULL, 1);
    CHECK(context && glXMakeCurrent(dpy, window, context));
    set_up();
    for (int n = 0; n < FRAMES; n++) {
        glClearColor(0, 0, n / 8.0f, 1);
        glClear(COLOR);
        frame(n);
        CHECK(glGetError() == 0);
        glXSwapBuffers(dpy, window);
    }
    printf("ok\n");
    return 0;
}
