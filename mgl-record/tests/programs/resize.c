/* A window that gets another size: what is drawn after the next glViewport, or glClear, has that size already. */
#include "common.h"

extern unsigned glGetError(void);
extern void glViewport(int, int, int, int), glClearColor(float, float, float, float), glClear(unsigned);
extern void glReadPixels(int, int, int, int, unsigned, unsigned, void *);

enum { COLOR_BIT = 0x4000, RGBA = 0x1908, BYTES = 0x1401, RED = 0xff0000ff };

static unsigned pixel(int x, int y) {
    unsigned value = 0;
    glReadPixels(x, y, 1, 1, RGBA, BYTES, &value);
    return value | 0xff000000;
}

static void resize(Display *dpy, XID window, int width, int height) {
    XResizeWindow(dpy, window, width, height);
    XSync(dpy, 0);
    /* The driver hears of it on a connection of its own. */
    usleep(100000);
}

static void follow(Display *dpy, int double_buffered) {
    int list[] = {GLX_DOUBLEBUFFER, double_buffered, 0}, count = 0;
    GLXFBConfig *configs = glXChooseFBConfig(dpy, XDefaultScreen(dpy), list, &count);
    CHECK(configs && count > 0);
    GLXContext ctx = glXCreateNewContext(dpy, configs[0], GLX_RGBA_TYPE, NULL, 1);
    XID w = XCreateSimpleWindow(dpy, XRootWindow(dpy, 0), 0, 0, 40, 30, 0, 0, 0);
    XMapWindow(dpy, w);
    CHECK(ctx && glXMakeCurrent(dpy, w, ctx));
    glClearColor(1, 0, 0, 1);
    for (int i = 0; i < 3; i++) {
        glClear(COLOR_BIT);
        CHECK(pixel(39, 29) == RED);
        glXSwapBuffers(dpy, w);
    }
    resize(dpy, w, 90, 70);
    glViewport(0, 0, 90, 70);
    glClear(COLOR_BIT);
    CHECK(pixel(89, 69) == RED);
    glXSwapBuffers(dpy, w);
    resize(dpy, w, 120, 100);
    glClear(COLOR_BIT);
    CHECK(pixel(119, 99) == RED);
    /* A program that never ends its frames is followed, too. */
    resize(dpy, w, 150, 130);
    for (int i = 0; i < 100; i++) glViewport(0, 0, 150, 130);
    glClear(COLOR_BIT);
    CHECK(pixel(149, 129) == RED);
    CHECK(glGetError() == 0);
}

int main(void) {
    Display *dpy = XOpenDisplay(NULL);
    CHECK(dpy);
    follow(dpy, 1);
    follow(dpy, 0);
    puts("ok");
    return 0;
}
