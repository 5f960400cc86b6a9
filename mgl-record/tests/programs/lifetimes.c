/* One life of a program with two threads, a window each, and shared objects.
 *
 *   lifetimes END     0 all is ended, 1 nothing is, 2 the second thread ends the process while the first one draws
 *
 * The second thread makes a texture by drawing to it; the first one reads it. */
#include "common.h"

enum { TEXTURE_2D = 0x0de1, RGBA8 = 0x8058, RGBA = 0x1908, BYTES = 0x1401, FRAMEBUFFER = 0x8d40,
       COLOR0 = 0x8ce0, COLOR = 0x4000, RGBA_TYPE = 0x8014 };

extern void glClearColor(float, float, float, float);
extern void glClear(unsigned);
extern void glGenTextures(int, unsigned *);
extern void glBindTexture(unsigned, unsigned);
extern void glTexImage2D(unsigned, int, int, int, int, int, unsigned, unsigned, const void *);
extern void glGenFramebuffers(int, unsigned *);
extern void glBindFramebuffer(unsigned, unsigned);
extern void glFramebufferTexture2D(unsigned, unsigned, unsigned, unsigned, int);
extern void glDeleteFramebuffers(int, const unsigned *);
extern void glReadPixels(int, int, int, int, unsigned, unsigned, void *);
extern unsigned glGetError(void);
extern void glFinish(void);

static int end;
static GLXContext contexts[2];
static unsigned texture;
static pthread_barrier_t both;

static XID window(Display *dpy) {
    XID w = XCreateSimpleWindow(dpy, XRootWindow(dpy, 0), 0, 0, 32, 24, 0, 0, 0);
    XMapWindow(dpy, w);
    XSync(dpy, 0);
    return w;
}

static void frames(Display *dpy, XID w, int n) {
    for (int i = 0; i < n; i++) {
        glClearColor(i & 1, 0, 1, 1);
        glClear(COLOR);
        glXSwapBuffers(dpy, w);
    }
}

static unsigned target(unsigned of) {
    unsigned fb;
    glGenFramebuffers(1, &fb);
    glBindFramebuffer(FRAMEBUFFER, fb);
    glFramebufferTexture2D(FRAMEBUFFER, COLOR0, TEXTURE_2D, of, 0);
    return fb;
}

static void *second(void *display) {
    Display *dpy = display;
    XID w = window(dpy);
    CHECK(glXMakeCurrent(dpy, w, contexts[1]));
    frames(dpy, w, 3);
    glGenTextures(1, &texture);
    glBindTexture(TEXTURE_2D, texture);
    glTexImage2D(TEXTURE_2D, 0, RGBA8, 16, 16, 0, RGBA, BYTES, NULL);
    unsigned fb = target(texture);
    glClearColor(0, 1, 0, 1);
    glClear(COLOR);
    glDeleteFramebuffers(1, &fb);
    glFinish();
    CHECK(glGetError() == 0);
    pthread_barrier_wait(&both);
    frames(dpy, w, 2);
    pthread_barrier_wait(&both);
    if (end == 2) {
        puts("ok");
        exit(0);
    }
    if (end == 0)
        CHECK(glXMakeCurrent(dpy, 0, NULL));
    return NULL;
}

int main(int argc, char **argv) {
    end = argc > 1 ? atoi(argv[1]) : 0;
    Display *mine = XOpenDisplay(NULL), *theirs = XOpenDisplay(NULL);
    CHECK(mine && theirs);
    int list[] = {0}, count = 0;
    GLXFBConfig *configs = glXChooseFBConfig(mine, 0, list, &count);
    CHECK(configs && count > 0);
    contexts[0] = glXCreateNewContext(mine, configs[0], RGBA_TYPE, NULL, 1);
    contexts[1] = glXCreateNewContext(mine, configs[0], RGBA_TYPE, contexts[0], 1);
    CHECK(contexts[0] && contexts[1]);
    XID w = window(mine);
    pthread_t thread;
    pthread_barrier_init(&both, NULL, 2);
    CHECK(pthread_create(&thread, NULL, second, theirs) == 0);
    CHECK(glXMakeCurrent(mine, w, contexts[0]));
    frames(mine, w, 3);
    pthread_barrier_wait(&both);
    target(texture);
    unsigned char pixel[4] = {0};
    glReadPixels(7, 7, 1, 1, RGBA, BYTES, pixel);
    CHECK(glGetError() == 0);
    CHECK(pixel[0] == 0 && pixel[1] == 255 && pixel[2] == 0);
    glBindFramebuffer(FRAMEBUFFER, 0);
    pthread_barrier_wait(&both);
    if (end == 2)
        for (;;)
            frames(mine, w, 1);
    frames(mine, w, 2);
    pthread_join(thread, NULL);
    puts("ok");
    if (end == 1)
        return 0;
    glXMakeCurrent(mine, 0, NULL);
    glXDestroyContext(mine, contexts[1]);
    glXDestroyContext(mine, contexts[0]);
    XCloseDisplay(theirs);
    XCloseDisplay(mine);
    return 0;
}
