/* A program that draws small frames in a window: frames MODE [COUNT [PATCHES [END]]]. */
#include "common.h"
#include <signal.h>

enum {
    FRAMES = 20, SIDE = 64, ATLAS = 256, NOISE = 512,
    COLOR = 0x4000, BLEND = 0xbe2, TRIANGLES = 4, TEXTURE_2D = 0xde1, RGBA8 = 0x8058, RGBA = 0x1908,
    UNSIGNED_BYTE = 0x1401, MIN_FILTER = 0x2801, MAG_FILTER = 0x2800, NEAREST = 0x2600,
    VERTEX = 0x8b31, FRAGMENT = 0x8b30, LINKED = 0x8b82, VERSION = 0x1f02, SRC_ALPHA = 0x302,
    ONE_MINUS_SRC_ALPHA = 0x303,
};

extern void glClearColor(float, float, float, float);
extern void glClear(unsigned);
extern void glEnable(unsigned);
extern void glDisable(unsigned);
extern void glBlendFunc(unsigned, unsigned);
extern void glDrawArrays(unsigned, int, int);
extern unsigned glGetError(void);
extern const char *glGetString(unsigned);
extern unsigned glCreateShader(unsigned);
extern void glShaderSource(unsigned, int, const char *const *, const int *);
extern void glCompileShader(unsigned);
extern unsigned glCreateProgram(void);
extern void glAttachShader(unsigned, unsigned);
extern void glLinkProgram(unsigned);
extern void glGetProgramiv(unsigned, unsigned, int *);
extern void glUseProgram(unsigned);
extern int glGetUniformLocation(unsigned, const char *);
extern void glUniform4f(int, float, float, float, float);
extern void glGenVertexArrays(int, unsigned *);
extern void glBindVertexArray(unsigned);
extern void glGenTextures(int, unsigned *);
extern void glBindTexture(unsigned, unsigned);
extern void glTexParameteri(unsigned, unsigned, int);
extern void glTexImage2D(unsigned, int, int, int, int, int, unsigned, unsigned, const void *);
extern void glTexSubImage2D(unsigned, int, int, int, int, int, unsigned, unsigned, const void *);

static Display *dpy;
static XID window;
static int place, patches;

static void open_window(void) {
    CHECK(dpy = XOpenDisplay(NULL));
    window = XCreateSimpleWindow(dpy, XRootWindow(dpy, XDefaultScreen(dpy)), 0, 0, SIDE, SIDE, 0, 0, 0);
    XMapWindow(dpy, window);
    int count, doubled[] = {GLX_DOUBLEBUFFER, 1, GLX_RED_SIZE, 8, 0};
    GLXFBConfig *configs = glXChooseFBConfig(dpy, XDefaultScreen(dpy), doubled, &count);
    CHECK(configs && count > 0);
    int core[] = {GLX_CONTEXT_MAJOR, 3, GLX_CONTEXT_MINOR, 3, GLX_CONTEXT_PROFILE, 1, 0};
    GLXContext context = glXCreateContextAttribsARB(dpy, configs[0], NULL, 1, core);
    XFree(configs);
    CHECK(context && glXMakeCurrent(dpy, window, context));
}

static void attach(unsigned program, unsigned stage, const char *text) {
    unsigned shader = glCreateShader(stage);
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    glAttachShader(program, shader);
}

/* One triangle somewhere in the window; its colour is the uniform's, and the atlas's texel there. */
static void set_up(void) {
    unsigned program = glCreateProgram(), object;
    int linked = 0;
    attach(program, VERTEX,
           "#version 330\nuniform vec4 place; void main() {"
           " vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 0.2;"
           " gl_Position = vec4(place.xy + corner, 0.0, 1.0); }");
    attach(program, FRAGMENT,
           "#version 330\nuniform vec4 place; uniform sampler2D atlas; out vec4 color; void main() {"
           " color = vec4(place.zw, 1.0, 0.5) + 0.5 * texture(atlas, place.xy * 0.5 + 0.5); }");
    glLinkProgram(program);
    glGetProgramiv(program, LINKED, &linked);
    CHECK(linked);
    glUseProgram(program);
    place = glGetUniformLocation(program, "place");
    glGenVertexArrays(1, &object);
    glBindVertexArray(object);
    glGenTextures(1, &object);
    glBindTexture(TEXTURE_2D, object);
    glTexParameteri(TEXTURE_2D, MIN_FILTER, NEAREST);
    glTexParameteri(TEXTURE_2D, MAG_FILTER, NEAREST);
    glTexImage2D(TEXTURE_2D, 0, RGBA8, ATLAS, ATLAS, 0, RGBA, UNSIGNED_BYTE, NULL);
    glBlendFunc(SRC_ALPHA, ONE_MINUS_SRC_ALPHA);
}

static void draw(int i) {
    glUniform4f(place, -1.0f + 0.18f * (i % 10), -1.0f + 0.18f * (i / 10 % 10), i % 7 / 7.0f, i % 5 / 5.0f);
    glDrawArrays(TRIANGLES, 0, 3);
}

static void clear(int n) {
    glClearColor(n % 3 / 2.0f, n % 5 / 4.0f, 0.25f, 1.0f);
    glClear(COLOR);
}

/* A hundred draws a frame, every other one with blending. */
static void blend(int n) {
    clear(n);
    for (int i = 0; i < 100; i++) {
        (i % 2 ? glEnable : glDisable)(BLEND);
        draw(i);
    }
}

/* A draw, small patches of an atlas like those of a text's letters, a draw. */
static void atlas(int n) {
    unsigned char texels[5 * 7 * 4];
    clear(n);
    draw(n);
    for (int i = 0; i < patches; i++) {
        memset(texels, n + i, sizeof texels);
        glTexSubImage2D(TEXTURE_2D, 0, 20 + i % 10 * 12, 30 + i / 10 * 14, 5, 7, RGBA, UNSIGNED_BYTE, texels);
    }
    draw(n + 1);
}

/* A megabyte of noise a frame, which no file format makes small. */
static void noise(int n) {
    static unsigned words[NOISE * NOISE];
    static unsigned long long state = 88172645463325252ull;
    for (int i = 0; i < NOISE * NOISE; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        words[i] = (unsigned)state;
    }
    glTexImage2D(TEXTURE_2D, 0, RGBA8, NOISE, NOISE, 0, RGBA, UNSIGNED_BYTE, words);
    clear(n);
    draw(n);
}

static void plain(int n) {
    clear(n);
    draw(n);
}

/* The libraries that this process has mapped. */
static void print_maps(void) {
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps);
    while (fgets(line, sizeof line, maps)) {
        char *path = strchr(line, '/');
        if (path && strstr(path, ".so")) printf("map %s", path);
    }
    fclose(maps);
}

/* Ends otherwise than by returning. */
static void end(const char *how) {
    if (strcmp(how, "abort") == 0) abort();
    if (strcmp(how, "_exit") == 0) _exit(0);
    if (strcmp(how, "kill") == 0) kill(getpid(), SIGKILL);
    if (strcmp(how, "exec") == 0) execl("/bin/true", "true", NULL);
    if (strcmp(how, "crash") == 0) raise(SIGSEGV);
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    int count = argc > 2 ? atoi(argv[2]) : FRAMES;
    void (*frame)(int) = strcmp(mode, "blend") == 0   ? blend
                         : strcmp(mode, "atlas") == 0 ? atlas
                         : strcmp(mode, "noise") == 0 ? noise
                                                      : plain;
    patches = argc > 3 ? atoi(argv[3]) : 100;
    open_window();
    set_up();
    printf("pid %d\nversion %s\n", getpid(), glGetString(VERSION));
    for (int n = 0; n < count; n++) {
        frame(n);
        glXSwapBuffers(dpy, window);
        CHECK(glGetError() == 0);
        printf("frame %d\n", n);
        fflush(stdout);
    }
    if (argc > 4) end(argv[4]);
    if (strcmp(mode, "maps") == 0) print_maps();
    printf("ok\n");
    return 0;
}
