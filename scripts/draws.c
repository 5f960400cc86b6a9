/* A draw-heavy OpenGL program for scripts/bench: sprites, one draw each.
 *
 *   draws SPRITES FRAMES [egl]
 *
 * Draws into a window by GLX; with `egl` into a pbuffer without a window system, and a frame ends with glFinish.
 *
 * Each sprite sets a uniform and draws four vertices; every eighth one changes texture and toggles blending, as batched
 * games do. Prints frames a second, and milliseconds a frame of processor time: of the whole process, and of the thread
 * that draws. Needs no development headers: libX11 and libGL are opened by name, as many programs do. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

typedef void *(*Find)(const char *);
static Find find;

static void *library(const char *name) {
    void *l = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    if (!l) {
        fprintf(stderr, "draws: %s\n", dlerror());
        exit(3);
    }
    return l;
}

static void *need(void *p, const char *name) {
    if (!p) {
        fprintf(stderr, "draws: %s is missing\n", name);
        exit(3);
    }
    return p;
}

#define X(ret, name, args) ret(*name) args = need(dlsym(x11, #name), #name)
#define G(ret, name, args) ret(*name) args = need(find(#name), #name)

static double seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static const char *VERTEX =
    "#version 120\n"
    "attribute vec2 corner;\nuniform vec4 place;\nvarying vec2 at;\n"
    "void main() { at = corner; gl_Position = vec4(place.xy + corner * place.zw, 0.0, 1.0); }\n";
static const char *FRAGMENT =
    "#version 120\n"
    "varying vec2 at;\nuniform sampler2D picture;\n"
    "void main() { gl_FragColor = texture2D(picture, at); }\n";

/* Ends a frame. */
static void (*show)(void);

static void *display;
static unsigned long window;
static void (*swap)(void *, unsigned long);
static void (*finish)(void);

static void show_window(void) { swap(display, window); }
static void show_nothing(void) { finish(); }

/* A window of 480x270 with a context. */
static int open_window(void) {
    void *x11 = library("libX11.so.6"), *gl = library("libGL.so.1");
    find = (Find)need(dlsym(gl, "glXGetProcAddressARB"), "glXGetProcAddressARB");
    X(void *, XOpenDisplay, (const char *));
    X(int, XDefaultScreen, (void *));
    X(unsigned long, XRootWindow, (void *, int));
    X(unsigned long, XCreateSimpleWindow,
      (void *, unsigned long, int, int, unsigned, unsigned, unsigned, unsigned long, unsigned long));
    X(int, XMapWindow, (void *, unsigned long));
    X(int, XSync, (void *, int));
    G(void *, glXChooseVisual, (void *, int, int *));
    G(void *, glXCreateContext, (void *, void *, void *, int));
    G(int, glXMakeCurrent, (void *, unsigned long, void *));
    G(void, glXSwapBuffers, (void *, unsigned long));
    display = need(XOpenDisplay(NULL), "an X display");
    int want[] = {4 /* RGBA */, 5 /* double-buffered */, 0};
    void *visual = need(glXChooseVisual(display, XDefaultScreen(display), want), "a visual");
    window = XCreateSimpleWindow(display, XRootWindow(display, XDefaultScreen(display)), 0, 0, 480, 270, 0, 0, 0);
    XMapWindow(display, window);
    XSync(display, 0);
    void *context = need(glXCreateContext(display, visual, NULL, 1), "a context");
    swap = glXSwapBuffers;
    show = show_window;
    return glXMakeCurrent(display, window, context);
}

/* A pbuffer of 480x270 with a context, on the first device or on no window system. */
static int open_pbuffer(void) {
    void *egl = library("libEGL.so.1");
    find = (Find)need(dlsym(egl, "eglGetProcAddress"), "eglGetProcAddress");
    G(void *, eglGetPlatformDisplay, (unsigned, void *, const long *));
    G(unsigned, eglInitialize, (void *, int *, int *));
    G(unsigned, eglBindAPI, (unsigned));
    G(unsigned, eglChooseConfig, (void *, const int *, void **, int, int *));
    G(void *, eglCreateContext, (void *, void *, void *, const int *));
    G(void *, eglCreatePbufferSurface, (void *, void *, const int *));
    G(unsigned, eglMakeCurrent, (void *, void *, void *, void *));
    void *device = NULL;
    int count = 0;
    unsigned (*devices)(int, void **, int *) = find("eglQueryDevicesEXT");
    if (devices && devices(1, &device, &count) && count) display = eglGetPlatformDisplay(0x313F, device, NULL);
    if (!display || !eglInitialize(display, NULL, NULL)) {
        display = need(eglGetPlatformDisplay(0x31DD, NULL, NULL), "a display without a window system");
        if (!eglInitialize(display, NULL, NULL)) return 0;
    }
    if (!eglBindAPI(0x30A2 /* OpenGL */)) return 0;
    int want[] = {0x3033, 1 /* pbuffer */, 0x3040, 8 /* OpenGL */, 0x3024, 8, 0x3023, 8, 0x3022, 8, 0x3038};
    void *config = NULL;
    if (!eglChooseConfig(display, want, &config, 1, &count) || !count) return 0;
    int size[] = {0x3057, 480, 0x3056, 270, 0x3038};
    void *surface = need(eglCreatePbufferSurface(display, config, size), "a pbuffer");
    void *context = need(eglCreateContext(display, config, NULL, NULL), "a context");
    G(void, glFinish, (void));
    finish = glFinish;
    show = show_nothing;
    return eglMakeCurrent(display, surface, surface, context);
}

int main(int argc, char **argv) {
    int sprites = argc > 1 ? atoi(argv[1]) : 2000, frames = argc > 2 ? atoi(argv[2]) : 200;
    if (!(argc > 3 ? open_pbuffer() : open_window())) {
        fprintf(stderr, "draws: no context can be made current\n");
        return 3;
    }
    G(unsigned, glCreateShader, (unsigned));
    G(void, glShaderSource, (unsigned, int, const char **, const int *));
    G(void, glCompileShader, (unsigned));
    G(unsigned, glCreateProgram, (void));
    G(void, glAttachShader, (unsigned, unsigned));
    G(void, glLinkProgram, (unsigned));
    G(void, glUseProgram, (unsigned));
    G(int, glGetUniformLocation, (unsigned, const char *));
    G(int, glGetAttribLocation, (unsigned, const char *));
    G(void, glUniform4f, (int, float, float, float, float));
    G(void, glGenBuffers, (int, unsigned *));
    G(void, glBindBuffer, (unsigned, unsigned));
    G(void, glBufferData, (unsigned, long, const void *, unsigned));
    G(void, glVertexAttribPointer, (unsigned, int, unsigned, unsigned char, int, const void *));
    G(void, glEnableVertexAttribArray, (unsigned));
    G(void, glGenTextures, (int, unsigned *));
    G(void, glBindTexture, (unsigned, unsigned));
    G(void, glTexImage2D, (unsigned, int, int, int, int, int, unsigned, unsigned, const void *));
    G(void, glTexParameteri, (unsigned, unsigned, int));
    G(void, glEnable, (unsigned));
    G(void, glDisable, (unsigned));
    G(void, glBlendFunc, (unsigned, unsigned));
    G(void, glDrawArrays, (unsigned, int, int));
    G(void, glClear, (unsigned));
    G(void, glViewport, (int, int, int, int));
    G(void, glFinish, (void));
    G(unsigned, glGetError, (void));
    G(const char *, glGetString, (unsigned));
    fprintf(stderr, "draws: %s, %s\n", glGetString(0x1F01), glGetString(0x1F02));
    glViewport(0, 0, 480, 270);

    unsigned program = glCreateProgram();
    const char *sources[] = {VERTEX, FRAGMENT};
    for (int i = 0; i < 2; i++) {
        unsigned shader = glCreateShader(i ? 0x8B30 : 0x8B31);
        glShaderSource(shader, 1, &sources[i], NULL);
        glCompileShader(shader);
        glAttachShader(program, shader);
    }
    glLinkProgram(program);
    glUseProgram(program);
    int place = glGetUniformLocation(program, "place"), corner = glGetAttribLocation(program, "corner");
    static const float quad[] = {0, 0, 1, 0, 0, 1, 1, 1};
    unsigned buffer, textures[2], texels[64];
    glGenBuffers(1, &buffer);
    glBindBuffer(0x8892, buffer);
    glBufferData(0x8892, sizeof quad, quad, 0x88E4);
    glVertexAttribPointer(corner, 2, 0x1406, 0, 0, NULL);
    glEnableVertexAttribArray(corner);
    glGenTextures(2, textures);
    for (int t = 0; t < 2; t++) {
        for (int i = 0; i < 64; i++) texels[i] = 0x80000000u | (t ? 0x40FF20 : 0xFF4080) >> (i % 3);
        glBindTexture(0x0DE1, textures[t]);
        glTexImage2D(0x0DE1, 0, 0x8058, 8, 8, 0, 0x1908, 0x1401, texels);
        glTexParameteri(0x0DE1, 0x2801, 0x2600);
        glTexParameteri(0x0DE1, 0x2800, 0x2600);
    }
    glBlendFunc(0x0302, 0x0303);
    double wall = 0, cpu = 0, thread = 0;
    for (int frame = -10; frame < frames; frame++) {
        if (frame == 0) {
            glFinish();
            wall = seconds(CLOCK_MONOTONIC);
            cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
            thread = seconds(CLOCK_THREAD_CPUTIME_ID);
        }
        glClear(0x4000);
        for (int i = 0; i < sprites; i++) {
            if (i % 8 == 0) {
                glBindTexture(0x0DE1, textures[i / 8 % 2]);
                if (i / 8 % 2) glEnable(0x0BE2);
                else glDisable(0x0BE2);
            }
            glUniform4f(place, (i * 37 + frame) % 190 / 100.f - 1, (i * 53) % 190 / 100.f - 1, 0.02f, 0.03f);
            glDrawArrays(5, 0, 4);
        }
        show();
    }
    thread = seconds(CLOCK_THREAD_CPUTIME_ID) - thread;
    glFinish();
    wall = seconds(CLOCK_MONOTONIC) - wall;
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    if (glGetError()) {
        fprintf(stderr, "draws: an OpenGL error was raised\n");
        return 1;
    }
    printf("%.1f %.3f %.3f\n", frames / wall, cpu * 1000 / frames, thread * 1000 / frames);
    return 0;
}
