/* GLX as an unmodified program uses it: configurations, contexts, windows, and their ends. */
#include "common.h"

static Display *dpy;

static XID window(unsigned width, unsigned height) {
    XID w = XCreateSimpleWindow(dpy, XRootWindow(dpy, XDefaultScreen(dpy)), 0, 0, width, height, 0, 0, 0);
    XMapWindow(dpy, w);
    return w;
}

static unsigned query(XID drawable, int attribute) {
    unsigned value = 0xdead;
    glXQueryDrawable(dpy, drawable, attribute, &value);
    return value;
}

static GLXContext versioned(GLXFBConfig config, GLXContext share, int major, int minor, int profile) {
    int list[] = {GLX_CONTEXT_MAJOR, major, GLX_CONTEXT_MINOR, minor, GLX_CONTEXT_PROFILE, profile, 0};
    return glXCreateContextAttribsARB(dpy, config, share, 1, list);
}

static void configurations(GLXFBConfig *chosen) {
    int major = 0, minor = 0, count = 0, value = 0;
    CHECK(glXQueryExtension(dpy, NULL, NULL));
    CHECK(glXQueryVersion(dpy, &major, &minor) && major == 1 && minor == 4);
    CHECK(strstr(glXQueryExtensionsString(dpy, 0), "GLX_ARB_create_context_profile"));
    CHECK(strcmp(glXGetClientString(dpy, 2), "1.4") == 0);

    GLXFBConfig *all = glXGetFBConfigs(dpy, 0, &count);
    CHECK(all && count >= 8 && count <= 32);
    for (int i = 0; i < count; i++) {
        CHECK(glXGetFBConfigAttrib(dpy, all[i], GLX_FBCONFIG_ID, &value) == 0 && value == i + 1);
        CHECK(glXGetFBConfigAttrib(dpy, all[i], 0x7777, &value) == 2);
        XVisualInfo *info = glXGetVisualFromFBConfig(dpy, all[i]);
        CHECK(info && info->visual);
        CHECK(glXGetFBConfigAttrib(dpy, all[i], GLX_VISUAL_ID, &value) == 0);
        CHECK((unsigned long)value == info->visualid);
        /* A description leads back to the configuration that it was made for. */
        int a, b;
        for (int k = GLX_DOUBLEBUFFER; k <= GLX_STENCIL_SIZE; k++) {
            CHECK(glXGetFBConfigAttrib(dpy, all[i], k, &a) == 0);
            CHECK(glXGetConfig(dpy, info, k, &b) == 0 && a == b);
        }
        XFree(info);
    }
    XFree(all);

    int list[] = {GLX_DOUBLEBUFFER, 1, GLX_RED_SIZE, 8, GLX_ALPHA_SIZE, 8, GLX_DEPTH_SIZE, 16, 0};
    GLXFBConfig *found = glXChooseFBConfig(dpy, 0, list, &count);
    CHECK(found && count > 0);
    *chosen = found[0];
    CHECK(glXGetFBConfigAttrib(dpy, *chosen, GLX_STENCIL_SIZE, &value) == 0 && value == 0);
    XFree(found);
    int many[] = {GLX_SAMPLES, 64, 0};
    CHECK(!glXChooseFBConfig(dpy, 0, many, &count) && count == 0);
}

static void visuals(void) {
    int doubled[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_DEPTH_SIZE, 1, 0}, single[] = {GLX_RGBA, 0};
    int value;
    XVisualInfo *info = glXChooseVisual(dpy, 0, single);
    CHECK(info && glXGetConfig(dpy, info, GLX_DOUBLEBUFFER, &value) == 0 && value == 0);
    XFree(info);
    info = glXChooseVisual(dpy, 0, doubled);
    CHECK(info && glXGetConfig(dpy, info, GLX_DOUBLEBUFFER, &value) == 0 && value == 1);
    CHECK(glXGetConfig(dpy, info, GLX_USE_GL, &value) == 0 && value == 1);
    GLXContext ctx = glXCreateContext(dpy, info, NULL, 1);
    CHECK(ctx && glXIsDirect(dpy, ctx));
    /* A copy of the description does as well. */
    XVisualInfo copy = *info;
    XFree(info);
    GLXContext other = glXCreateContext(dpy, &copy, ctx, 1);
    CHECK(other && other != ctx);
    glXDestroyContext(dpy, other);
    glXDestroyContext(dpy, ctx);
    CHECK(!glXCreateContext(dpy, &copy, other, 1));
}

static void contexts(GLXFBConfig config) {
    int value;
    GLXContext core = versioned(config, NULL, 3, 3, 1), compatible = versioned(config, core, 3, 3, 2);
    CHECK(core && compatible);
    CHECK(!versioned(config, NULL, 4, 6, 1));
    CHECK(!versioned(config, NULL, 3, 7, 1));
    CHECK(!versioned(config, NULL, 2, 0, 4));
    CHECK(glXQueryContext(dpy, core, GLX_FBCONFIG_ID, &value) == 0 && value > 0);
    CHECK(!glXGetCurrentContext() && !glXGetCurrentDrawable() && !glXGetCurrentDisplay());

    XID a = window(200, 100), b = window(60, 50);
    CHECK(glXMakeCurrent(dpy, a, core));
    CHECK(glXGetCurrentContext() == core && glXGetCurrentDrawable() == a);
    CHECK(glXGetCurrentDisplay() == dpy);
    CHECK(glXMakeContextCurrent(dpy, a, b, compatible));
    CHECK(glXGetCurrentReadDrawable() == b);
    CHECK(query(a, GLX_WIDTH) == 200 && query(b, GLX_HEIGHT) == 50);

    /* A window that was never made and one that is none. */
    CHECK(!glXMakeCurrent(dpy, 0x7fffffff, core));
    CHECK(!glXMakeCurrent(dpy, a, (GLXContext)(intptr_t)0x1234));
    CHECK(glXGetCurrentContext() == compatible);

    /* Without drawables, then without anything. */
    CHECK(glXMakeCurrent(dpy, 0, core) && glXGetCurrentDrawable() == 0);
    CHECK(glXMakeCurrent(dpy, 0, NULL) && !glXGetCurrentContext());
    glXDestroyContext(dpy, core);
    CHECK(!glXMakeCurrent(dpy, a, core));

    glXSwapIntervalEXT(dpy, a, 0);
    CHECK(query(a, GLX_SWAP_INTERVAL) == 0);
    glXDestroyContext(dpy, compatible);
    XDestroyWindow(dpy, a);
    XDestroyWindow(dpy, b);
}

static void sizes(GLXFBConfig config) {
    GLXContext ctx = versioned(config, NULL, 3, 3, 1);
    XID w = window(320, 200), declared = glXCreateWindow(dpy, config, w, NULL);
    CHECK(declared && glXMakeCurrent(dpy, declared, ctx));
    for (int i = 1; i < 20; i++) {
        XResizeWindow(dpy, w, 320 + i, 200 + i);
        if (i % 2) {
            glXWaitX();
        } else {
            /* The swap sends the request; the size is there soon after. */
            glXSwapBuffers(dpy, declared);
        }
        CHECK(query(declared, GLX_WIDTH) == 320u + i && query(declared, GLX_HEIGHT) == 200u + i);
    }
    /* The program's connection is not used for anything else: ten swaps, no request. */
    XSync(dpy, 0);
    unsigned long before = XNextRequest(dpy);
    for (int i = 0; i < 10; i++) glXSwapBuffers(dpy, declared);
    CHECK(XNextRequest(dpy) == before);
    glXWaitGL();
    glXDestroyWindow(dpy, declared);
    glXMakeCurrent(dpy, 0, NULL);
    glXDestroyContext(dpy, ctx);
    XDestroyWindow(dpy, w);
}

static void pbuffers(GLXFBConfig config) {
    int list[] = {GLX_PBUFFER_WIDTH, 33, GLX_PBUFFER_HEIGHT, 44, 0};
    XID a = glXCreatePbuffer(dpy, config, list), b = glXCreatePbuffer(dpy, config, list);
    CHECK(a && b && a != b);
    CHECK(query(a, GLX_WIDTH) == 33 && query(b, GLX_HEIGHT) == 44);
    GLXContext ctx = glXCreateNewContext(dpy, config, GLX_RGBA_TYPE, NULL, 1);
    CHECK(glXMakeContextCurrent(dpy, a, b, ctx));
    glXSwapBuffers(dpy, a);
    glXDestroyPbuffer(dpy, a);
    CHECK(glXMakeCurrent(dpy, 0, NULL));
    CHECK(!glXMakeCurrent(dpy, a, ctx));
    CHECK(glXCreatePixmap(dpy, config, a, NULL) == 0);
    glXDestroyPbuffer(dpy, b);
    glXDestroyContext(dpy, ctx);
}

static void ends(GLXFBConfig config) {
    GLXContext ctx = versioned(config, NULL, 3, 3, 1);
    /* A window destroyed while it is drawn to: no X error reaches the program. */
    for (int i = 0; i < 10; i++) {
        XID w = window(50, 40);
        CHECK(glXMakeCurrent(dpy, w, ctx));
        glXSwapBuffers(dpy, w);
        XDestroyWindow(dpy, w);
        for (int k = 0; k < 3; k++) glXSwapBuffers(dpy, w);
        glXWaitX();
        CHECK(!glXMakeCurrent(dpy, w, ctx) && glXGetCurrentDrawable() == w);
    }
    CHECK(glXMakeCurrent(dpy, 0, NULL));

    /* The server hands ids out again after a connection is closed: the new window is a new one. */
    for (unsigned i = 0; i < 10; i++) {
        Display *other = XOpenDisplay(NULL);
        XID w = XCreateSimpleWindow(other, XRootWindow(other, 0), 0, 0, 50 + i, 40 + i, 0, 0, 0);
        CHECK(glXMakeCurrent(other, w, ctx));
        unsigned value = 0;
        glXQueryDrawable(other, w, GLX_WIDTH, &value);
        CHECK(value == 50 + i);
        glXSwapBuffers(other, w);
        CHECK(glXMakeCurrent(other, 0, NULL));
        XCloseDisplay(other);
    }
    glXDestroyContext(dpy, ctx);
}

static GLXFBConfig thread_config;
static GLXContext migrating;

static void *thread(void *argument) {
    Display *own = XOpenDisplay(NULL);
    CHECK(own);
    XID w = XCreateSimpleWindow(own, XRootWindow(own, 0), 0, 0, 64, 64, 0, 0, 0);
    GLXContext ctx = glXCreateNewContext(own, thread_config, GLX_RGBA_TYPE, migrating, 1);
    CHECK(ctx);
    for (int i = 0; i < 50; i++) {
        CHECK(glXMakeCurrent(own, w, ctx));
        glXSwapBuffers(own, w);
    }
    /* A context is current in one thread at a time. */
    CHECK(!glXMakeCurrent(own, w, migrating));
    CHECK(glXGetCurrentContext() == ctx);
    /* The thread ends with a current context. */
    return argument;
}

static void threads(GLXFBConfig config) {
    thread_config = config;
    migrating = versioned(config, NULL, 3, 3, 2);
    XID w = window(30, 30);
    CHECK(glXMakeCurrent(dpy, w, migrating));
    pthread_t handles[4];
    for (int i = 0; i < 4; i++) CHECK(pthread_create(&handles[i], NULL, thread, NULL) == 0);
    for (int i = 0; i < 4; i++) CHECK(pthread_join(handles[i], NULL) == 0);
    CHECK(glXGetCurrentContext() == migrating);
    CHECK(glXMakeCurrent(dpy, 0, NULL));
    glXDestroyContext(dpy, migrating);
    XDestroyWindow(dpy, w);
}

int main(void) {
    XSetErrorHandler(count_error);
    dpy = XOpenDisplay(NULL);
    CHECK(dpy);
    GLXFBConfig config = NULL;
    configurations(&config);
    visuals();
    contexts(config);
    sizes(config);
    pbuffers(config);
    ends(config);
    threads(config);
    XSync(dpy, 0);
    CHECK(x_errors == 0);
    XCloseDisplay(dpy);
    puts("ok");
    return 0;
}
