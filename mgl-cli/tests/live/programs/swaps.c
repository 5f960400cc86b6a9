/* Frames that are shown in every way there is: swaps MODE [COUNT].
 *
 * Frame n is cleared to (16 n, 64, 128), its lower left quarter to red. Around each swap the program has state that
 * reading a frame would disturb, and looks whether it is still there. */
#include "common.h"

enum {
    WIDTH = 48, HEIGHT = 32,
    COLOR = 0x4000, SCISSOR = 0xc11, BACK = 0x405, FRONT = 0x404, READ_BUFFER = 0xc02, READ_FB = 0x8ca8, FB = 0x8d40,
    READ_FB_BINDING = 0x8caa, DRAW_FB_BINDING = 0x8ca6, PACK_BUFFER = 0x88eb, PACK_BUFFER_BINDING = 0x88ed,
    ATTACHMENT = 0x8ce0, RENDERBUFFER = 0x8d41, RGBA8 = 0x8058, STATIC_READ = 0x88e5,
    EGL_NONE = 0x3038, EGL_RED = 0x3024, EGL_SURFACE_TYPE = 0x3033, EGL_RENDERABLE = 0x3040, EGL_OPENGL = 0x30a2,
    EGL_PBUFFER_WIDTH = 0x3057, EGL_PBUFFER_HEIGHT = 0x3056,
};
extern void glClearColor(float, float, float, float);
extern void glClear(unsigned);
extern void glEnable(unsigned);
extern void glDisable(unsigned);
extern void glScissor(int, int, int, int);
extern void glReadBuffer(unsigned);
extern void glPixelStorei(unsigned, int);
extern void glGetIntegerv(unsigned, int *);
extern unsigned glGetError(void);
extern void glGenFramebuffers(int, unsigned *);
extern void glBindFramebuffer(unsigned, unsigned);
extern void glGenRenderbuffers(int, unsigned *);
extern void glBindRenderbuffer(unsigned, unsigned);
extern void glRenderbufferStorage(unsigned, unsigned, int, int);
extern void glFramebufferRenderbuffer(unsigned, unsigned, unsigned, unsigned);
extern void glGenBuffers(int, unsigned *);
extern void glBindBuffer(unsigned, unsigned);
extern void glBufferData(unsigned, long, const void *, unsigned);

/* GL_PACK_SWAP_BYTES to GL_PACK_ALIGNMENT, with values that no program starts with. */
static const int PACK_VALUES[] = {1, 1, 7, 3, 2, 2};

static unsigned framebuffer, buffer;

static void disturb_and_remember(void) {
    unsigned storage;
    glGenFramebuffers(1, &framebuffer);
    glGenRenderbuffers(1, &storage);
    glBindFramebuffer(FB, framebuffer);
    glBindRenderbuffer(RENDERBUFFER, storage);
    glRenderbufferStorage(RENDERBUFFER, RGBA8, 8, 8);
    glFramebufferRenderbuffer(FB, ATTACHMENT, RENDERBUFFER, storage);
    glGenBuffers(1, &buffer);
    glBindBuffer(PACK_BUFFER, buffer);
    glBufferData(PACK_BUFFER, 64, NULL, STATIC_READ);
    for (int i = 0; i < 6; i++) glPixelStorei(0xd00 + i, PACK_VALUES[i]);
}

static int value(unsigned name) {
    int value = -1;
    glGetIntegerv(name, &value);
    return value;
}

static void check_state(void) {
    CHECK(glGetError() == 0);
    CHECK(value(READ_FB_BINDING) == (int)framebuffer && value(DRAW_FB_BINDING) == (int)framebuffer);
    CHECK(value(READ_BUFFER) == ATTACHMENT && value(PACK_BUFFER_BINDING) == (int)buffer);
    for (int i = 0; i < 6; i++) CHECK(value(0xd00 + i) == PACK_VALUES[i]);
    glBindFramebuffer(READ_FB, 0);
    CHECK(value(READ_BUFFER) == FRONT);
    glBindFramebuffer(FB, framebuffer);
}

/* Draws frame n and leaves the state that has to survive. */
static void draw(int n) {
    glBindFramebuffer(FB, 0);
    glDisable(SCISSOR);
    glClearColor(n * 16 / 255.0f, 64 / 255.0f, 128 / 255.0f, 1.0f);
    glClear(COLOR);
    glEnable(SCISSOR);
    glScissor(0, 0, WIDTH / 2, HEIGHT / 2);
    glClearColor(1.0f, 0.0f, 0.0f, 1.0f);
    glClear(COLOR);
    glReadBuffer(FRONT);
    glBindFramebuffer(FB, framebuffer);
}

static Display *dpy;

static XID new_window(void) {
    XID window = XCreateSimpleWindow(dpy, XRootWindow(dpy, XDefaultScreen(dpy)), 0, 0, WIDTH, HEIGHT, 0, 0, 0);
    XMapWindow(dpy, window);
    return window;
}

typedef void (*Swap)(Display *, XID);

static void *in(const char *library, const char *name) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    CHECK(handle);
    return dlsym(handle, name);
}

static Swap find_swap(const char *mode) {
    if (strcmp(mode, "libGLX") == 0) return (Swap)in("libGLX.so.0", "glXSwapBuffers");
    if (strcmp(mode, "libGL") == 0) return (Swap)in("libGL.so.1", "glXSwapBuffers");
    if (strcmp(mode, "default") == 0) return (Swap)dlsym(RTLD_DEFAULT, "glXSwapBuffers");
    if (strcmp(mode, "get") == 0) return (Swap)glXGetProcAddressARB((const unsigned char *)"glXSwapBuffers");
    if (strcmp(mode, "get-get") == 0) {
        void *(*get)(const char *) = (void *(*)(const char *))in("libGLX.so.0", "glXGetProcAddress");
        CHECK(get);
        get = (void *(*)(const char *))get("glXGetProcAddressARB");
        return (Swap)get("glXSwapBuffers");
    }
    return glXSwapBuffers;
}

static void run_glx(const char *mode, int frames) {
    int count, doubled[] = {GLX_DOUBLEBUFFER, 1, GLX_RED_SIZE, 8, 0}, single[] = {GLX_DOUBLEBUFFER, 0, GLX_RED_SIZE, 8, 0};
    int core[] = {GLX_CONTEXT_MAJOR, 3, GLX_CONTEXT_MINOR, 3, GLX_CONTEXT_PROFILE, 1, 0};
    int is_single = strcmp(mode, "single") == 0, is_other = strcmp(mode, "other") == 0;
    GLXFBConfig *configs = glXChooseFBConfig(dpy, XDefaultScreen(dpy), is_single ? single : doubled, &count);
    CHECK(configs && count > 0);
    GLXContext context = glXCreateContextAttribsARB(dpy, configs[0], NULL, 1, core);
    XID window = new_window(), shown = glXCreateWindow(dpy, configs[0], window, NULL), other = 0;
    if (is_other) other = glXCreateWindow(dpy, configs[0], new_window(), NULL);
    CHECK(context && glXMakeCurrent(dpy, shown, context));
    Swap swap = find_swap(mode);
    CHECK(swap);
    if (is_single) {
        /* Shows nothing, and is no frame. */
        for (int n = 0; n < frames; n++) swap(dpy, shown);
        return;
    }
    disturb_and_remember();
    for (int n = 0; n < frames; n++) {
        draw(n);
        if (is_other) CHECK(glXMakeCurrent(dpy, other, context));
        swap(dpy, shown);
        if (is_other) {
            CHECK(glXGetCurrentDrawable() == other && glXGetCurrentReadDrawable() == other);
            CHECK(glXMakeCurrent(dpy, shown, context));
        }
        check_state();
    }
}

static unsigned swap_egl(const char *mode, EGLDisplay egl, EGLSurface surface) {
    typedef unsigned (*SwapEgl)(EGLDisplay, EGLSurface);
    typedef unsigned (*Damage)(EGLDisplay, EGLSurface, const int *, int);
    const int all[] = {0, 0, WIDTH, HEIGHT};
    if (strcmp(mode, "egl-dlsym") == 0) return ((SwapEgl)in("libEGL.so.1", "eglSwapBuffers"))(egl, surface);
    if (strcmp(mode, "egl-get") == 0) return ((SwapEgl)eglGetProcAddress("eglSwapBuffers"))(egl, surface);
    if (strncmp(mode, "egl-damage", 10) == 0) {
        Damage damage = (Damage)eglGetProcAddress(
            mode[10] ? "eglSwapBuffersWithDamageEXT" : "eglSwapBuffersWithDamageKHR");
        CHECK(damage);
        return damage(egl, surface, all, 1);
    }
    return eglSwapBuffers(egl, surface);
}

static void run_egl(const char *mode, int frames) {
    EGLDisplay egl = eglGetPlatformDisplay(0x31d5, dpy, NULL);
    CHECK(egl && eglInitialize(egl, NULL, NULL) && eglBindAPI(EGL_OPENGL));
    int wanted[] = {EGL_RED, 8, EGL_SURFACE_TYPE, 5, EGL_RENDERABLE, 8, EGL_NONE}, count = 0;
    int core[] = {0x3098, 3, 0x30fb, 3, 0x30fd, 1, EGL_NONE};
    int size[] = {EGL_PBUFFER_WIDTH, WIDTH, EGL_PBUFFER_HEIGHT, HEIGHT, EGL_NONE};
    EGLConfig config;
    CHECK(eglChooseConfig(egl, wanted, &config, 1, &count) && count == 1);
    EGLContext context = eglCreateContext(egl, config, NULL, core);
    EGLSurface surface = eglCreateWindowSurface(egl, config, new_window(), NULL);
    EGLSurface pbuffer = eglCreatePbufferSurface(egl, config, size);
    CHECK(context && surface && pbuffer && eglMakeCurrent(egl, surface, surface, context));
    disturb_and_remember();
    for (int n = 0; n < frames; n++) {
        draw(n);
        /* A pbuffer shows nothing: no frame. */
        CHECK(eglMakeCurrent(egl, pbuffer, pbuffer, context) && eglSwapBuffers(egl, pbuffer));
        CHECK(eglMakeCurrent(egl, surface, surface, context));
        CHECK(swap_egl(mode, egl, surface));
        check_state();
    }
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "linked";
    int frames = argc > 2 ? atoi(argv[2]) : 4;
    CHECK(dpy = XOpenDisplay(NULL));
    /* Who asks for what comes after himself is told by where he stands: first of all. */
    printf("next %s\n", object_of(dlsym(RTLD_NEXT, "clock_gettime")));
    (strncmp(mode, "egl", 3) == 0 ? run_egl : run_glx)(mode, frames);
    printf("ok\n");
    return 0;
}
