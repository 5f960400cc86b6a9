/* What is drawn to the front of a window, alone or together with the back, is seen after a flush. */
#include "common.h"

extern void glDrawBuffer(unsigned), glClearColor(float, float, float, float), glClear(unsigned), glFlush(void);
extern void glFinish(void);
extern void *XGetImage(Display *, XID, int, int, unsigned, unsigned, unsigned long, int);
extern unsigned long XGetPixel(void *, int, int);
extern int XDestroyImage(void *);

enum { COLOR_BIT = 0x4000, FRONT = 0x404, BACK = 0x405, FRONT_AND_BACK = 0x408, Z_PIXMAP = 2 };

static unsigned long shown(Display *dpy, XID window) {
    XSync(dpy, 0);
    void *image = XGetImage(dpy, window, 5, 5, 1, 1, ~0ul, Z_PIXMAP);
    CHECK(image);
    unsigned long pixel = XGetPixel(image, 0, 0) & 0xffffff;
    XDestroyImage(image);
    return pixel;
}

static void clear(unsigned buffer, int r, int g, int b) {
    glDrawBuffer(buffer);
    glClearColor(r, g, b, 1);
    glClear(COLOR_BIT);
}

static void draw(Display *dpy, int double_buffered) {
    int list[] = {GLX_DOUBLEBUFFER, double_buffered, 0}, count = 0;
    GLXFBConfig *configs = glXChooseFBConfig(dpy, XDefaultScreen(dpy), list, &count);
    CHECK(configs && count > 0);
    GLXContext ctx = glXCreateNewContext(dpy, configs[0], GLX_RGBA_TYPE, NULL, 1);
    XID w = XCreateSimpleWindow(dpy, XRootWindow(dpy, 0), 0, 0, 40, 30, 0, 0, 0);
    XMapWindow(dpy, w);
    CHECK(ctx && glXMakeCurrent(dpy, w, ctx));
    clear(FRONT, 1, 0, 0);
    glFlush();
    glFinish();
    CHECK(shown(dpy, w) == 0xff0000);
    clear(FRONT, 0, 1, 0);
    glFinish();
    CHECK(shown(dpy, w) == 0x00ff00);
    if (!double_buffered)
        return;
    clear(BACK, 0, 0, 1);
    glFinish();
    CHECK(shown(dpy, w) == 0x00ff00);
    glXSwapBuffers(dpy, w);
    glXWaitGL(); /* X reads what GL has done (GLX 1.4, 3.3.8). */
    CHECK(shown(dpy, w) == 0x0000ff);
    clear(FRONT_AND_BACK, 1, 1, 0);
    glFinish();
    CHECK(shown(dpy, w) == 0xffff00);
    clear(FRONT, 0, 1, 1);
    glFinish();
    CHECK(shown(dpy, w) == 0x00ffff);
    glXSwapBuffers(dpy, w);
    glXWaitGL();
    CHECK(shown(dpy, w) == 0xffff00);
}

int main(void) {
    Display *dpy = XOpenDisplay(NULL);
    CHECK(dpy);
    draw(dpy, 1);
    draw(dpy, 0);
    puts("ok");
    return 0;
}
