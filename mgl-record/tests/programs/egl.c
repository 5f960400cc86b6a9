/* EGL as an unmodified program uses it: displays of each kind, configurations, surfaces, errors. */
#include "common.h"

enum {
    API_GL = 0x30a2, API_ES = 0x30a0, NONE = 0x3038, SURFACE_TYPE = 0x3033, RENDERABLE = 0x3040,
    PBUFFER_BIT = 1, WINDOW_BIT = 4, GL_BIT = 8, ES2_BIT = 4, WIDTH = 0x3057, HEIGHT = 0x3056,
    MAJOR = 0x3098, MINOR = 0x30fb, PROFILE = 0x30fd, VISUAL = 0x302e, DRAW = 0x3059, READ = 0x305a,
    SUCCESS = 0x3000, NOT_INITIALIZED = 0x3001, BAD_CONFIG = 0x3005, BAD_CONTEXT = 0x3006,
    BAD_DISPLAY = 0x3008, BAD_MATCH = 0x3009, BAD_NATIVE_WINDOW = 0x300b, BAD_PARAMETER = 0x300c,
    BAD_SURFACE = 0x300d, BAD_ALLOC = 0x3003, BAD_ATTRIBUTE = 0x3004, EXTENSIONS = 0x3055,
    PLATFORM_X11 = 0x31d5, PLATFORM_XCB = 0x31dc, PLATFORM_SURFACELESS = 0x31dd,
    PLATFORM_DEVICE = 0x313f, PLATFORM_WAYLAND = 0x31d8, FENCE = 0x30f9, SATISFIED = 0x30f6,
};

static EGLConfig config_for(EGLDisplay d, int surface) {
    int list[] = {SURFACE_TYPE, surface, RENDERABLE, GL_BIT, NONE}, count = 0;
    EGLConfig config = NULL;
    CHECK(eglChooseConfig(d, list, &config, 1, &count) && count == 1 && config);
    return config;
}

static EGLContext context(EGLDisplay d, EGLConfig config, int major, int minor) {
    int list[] = {MAJOR, major, MINOR, minor, PROFILE, 1, NONE};
    return eglCreateContext(d, config, NULL, list);
}

/* What works on every display. */
static void offscreen(EGLDisplay d) {
    int major = 0, minor = 0, value = 0, count = 0;
    CHECK(d);
    CHECK(!eglChooseConfig(d, NULL, NULL, 0, &count) && eglGetError() == NOT_INITIALIZED);
    CHECK(eglInitialize(d, &major, &minor) && major == 1 && minor == 5);
    CHECK(strstr(eglQueryString(d, EXTENSIONS), "EGL_KHR_surfaceless_context"));
    int es[] = {RENDERABLE, ES2_BIT, SURFACE_TYPE, PBUFFER_BIT, NONE};
    CHECK(eglChooseConfig(d, es, NULL, 0, &count) && count == 0);
    EGLConfig config = config_for(d, PBUFFER_BIT);

    /* OpenGL ES is refused by name. */
    CHECK(eglQueryAPI() == API_ES);
    CHECK(!eglBindAPI(API_ES) && eglGetError() == BAD_PARAMETER);
    CHECK(!eglCreateContext(d, config, NULL, NULL) && eglGetError() == BAD_MATCH);
    CHECK(eglBindAPI(API_GL) && eglQueryAPI() == API_GL);

    CHECK(!context(d, config, 4, 6) && eglGetError() == BAD_MATCH);
    CHECK(!context(d, (EGLConfig)(intptr_t)8, 3, 3) && eglGetError() == BAD_CONFIG);
    EGLContext a = context(d, config, 3, 3), b = context(d, NULL, 3, 3);
    CHECK(a && b && a != b && eglGetError() == SUCCESS);
    CHECK(eglMakeCurrent(d, NULL, NULL, b) && eglGetCurrentContext() == b);
    CHECK(eglGetCurrentDisplay() == d && !eglGetCurrentSurface(DRAW));

    int size[] = {WIDTH, 31, HEIGHT, 17, NONE};
    EGLSurface s = eglCreatePbufferSurface(d, config, size);
    CHECK(s && eglQuerySurface(d, s, WIDTH, &value) && value == 31);
    CHECK(eglMakeCurrent(d, s, s, a) && eglGetCurrentSurface(READ) == s);
    CHECK(eglSwapBuffers(d, s) && eglSwapInterval(d, 0));
    CHECK(!eglMakeCurrent(d, s, NULL, a) && eglGetError() == BAD_MATCH);
    CHECK(!eglMakeCurrent(d, (EGLSurface)(intptr_t)8, s, a) && eglGetError() == BAD_SURFACE);
    CHECK(!eglMakeCurrent(d, s, s, (EGLContext)(intptr_t)8) && eglGetError() == BAD_CONTEXT);

    EGLSync fence = eglCreateSync(d, FENCE, NULL);
    CHECK(fence && eglClientWaitSync(d, fence, 1, 1000) == SATISFIED);
    CHECK(eglDestroySync(d, fence) && !eglDestroySync(d, fence));
    CHECK(eglGetError() == BAD_PARAMETER);

    /* Destroyed while current: both last until they are current no more. */
    CHECK(eglDestroySurface(d, s) && eglDestroyContext(d, a));
    CHECK(eglGetCurrentContext() == a && eglGetCurrentSurface(DRAW) == s);
    CHECK(!eglSwapBuffers(d, s) && eglGetError() == BAD_SURFACE);
    CHECK(eglMakeCurrent(d, NULL, NULL, NULL) && !eglGetCurrentContext());
    CHECK(!eglCreatePixmapSurface(d, config, 1, NULL) && eglGetError() == BAD_PARAMETER);
    CHECK(eglTerminate(d));
    CHECK(!eglMakeCurrent(d, NULL, NULL, b) && eglGetError() == NOT_INITIALIZED);
    CHECK(eglReleaseThread() && eglQueryAPI() == API_ES);
}

static void windows(Display *dpy, EGLDisplay d, int by_pointer) {
    int value = 0;
    CHECK(d && eglInitialize(d, NULL, NULL) && eglBindAPI(API_GL));
    EGLConfig config = config_for(d, WINDOW_BIT);
    CHECK(eglGetConfigAttrib(d, config, VISUAL, &value) && value > 0);
    XID w = XCreateSimpleWindow(dpy, XRootWindow(dpy, 0), 0, 0, 120, 90, 0, 0, 0);
    XMapWindow(dpy, w);
    EGLSurface s;
    if (by_pointer) {
        s = eglCreatePlatformWindowSurface(d, config, &w, NULL);
    } else {
        s = eglCreateWindowSurface(d, config, w, NULL);
    }
    CHECK(s);
    CHECK(!eglCreateWindowSurface(d, config, w, NULL) && eglGetError() == BAD_ALLOC);
    CHECK(!eglCreateWindowSurface(d, config, 0x7fffffff, NULL) && eglGetError() == BAD_NATIVE_WINDOW);
    EGLContext ctx = context(d, config, 3, 3);
    CHECK(eglMakeCurrent(d, s, s, ctx) && eglSwapBuffers(d, s));
    for (int i = 1; i < 10; i++) {
        XResizeWindow(dpy, w, 120 + i, 90);
        if (i % 2) CHECK(eglWaitNative(0x305b));
        CHECK(eglSwapBuffers(d, s));
        CHECK(eglQuerySurface(d, s, WIDTH, &value) && value == 120 + i);
    }
    /* Let go of while current, then declared anew. */
    CHECK(eglDestroySurface(d, s));
    EGLSurface again = eglCreateWindowSurface(d, config, w, NULL);
    CHECK(again && again != s);
    CHECK(eglMakeCurrent(d, again, again, ctx));
    XDestroyWindow(dpy, w);
    XSync(dpy, 0);
    eglSwapBuffers(d, again);
    CHECK(!eglSwapBuffers(d, again) && eglGetError() == BAD_NATIVE_WINDOW);
    CHECK(!eglMakeCurrent(d, again, again, ctx) && eglGetError() == BAD_NATIVE_WINDOW);
    CHECK(eglTerminate(d));
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    CHECK(strstr(eglQueryString(NULL, EXTENSIONS), "EGL_EXT_platform_base"));
    CHECK(!eglInitialize((EGLDisplay)(intptr_t)8, NULL, NULL) && eglGetError() == BAD_DISPLAY);
    if (strcmp(kind, "default") == 0) {
        CHECK(eglGetDisplay(NULL) == eglGetDisplay(NULL));
        offscreen(eglGetDisplay(NULL));
    } else if (strcmp(kind, "surfaceless") == 0) {
        offscreen(eglGetPlatformDisplay(PLATFORM_SURFACELESS, NULL, NULL));
        CHECK(!eglGetPlatformDisplay(PLATFORM_WAYLAND, NULL, NULL) && eglGetError() == BAD_PARAMETER);
    } else if (strcmp(kind, "device") == 0) {
        unsigned (*devices)(int, void **, int *) = eglGetProcAddress("eglQueryDevicesEXT");
        void *device = NULL;
        int count = 0;
        CHECK(devices && devices(1, &device, &count) && count == 1 && device);
        offscreen(eglGetPlatformDisplay(PLATFORM_DEVICE, device, NULL));
    } else {
        XSetErrorHandler(count_error);
        Display *dpy = XOpenDisplay(NULL);
        CHECK(dpy);
        EGLDisplay d = eglGetDisplay(dpy);
        CHECK(d == eglGetPlatformDisplay(PLATFORM_X11, dpy, NULL));
        offscreen(d);
        windows(dpy, d, 0);
        windows(dpy, d, 1);
        void *(*to_xcb)(Display *) =
            dlsym(dlopen("libX11-xcb.so.1", RTLD_NOW), "XGetXCBConnection");
        CHECK(to_xcb);
        EGLDisplay x = eglGetPlatformDisplay(PLATFORM_XCB, to_xcb(dpy), NULL);
        CHECK(x && x != d);
        CHECK(eglInitialize(x, NULL, NULL));
        XSync(dpy, 0);
        CHECK(x_errors == 0);
    }
    puts("ok");
    return 0;
}
