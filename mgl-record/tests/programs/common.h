/* What the test programs need of Xlib, GLX and EGL; no development headers are assumed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                        \
    do {                                                                        \
        if (!(condition)) {                                                     \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);     \
            exit(1);                                                            \
        }                                                                       \
    } while (0)

typedef struct Display Display;
typedef unsigned long XID;
typedef struct {
    void *visual;
    unsigned long visualid;
    int screen, depth, class;
    unsigned long red_mask, green_mask, blue_mask;
    int colormap_size, bits_per_rgb;
} XVisualInfo;
typedef struct {
    int type;
    Display *display;
    XID resource;
    unsigned long serial;
    unsigned char error_code, request_code, minor_code;
} XErrorEvent;

extern Display *XOpenDisplay(const char *);
extern int XCloseDisplay(Display *);
extern int XDefaultScreen(Display *);
extern XID XRootWindow(Display *, int);
extern XID XCreateSimpleWindow(Display *, XID, int, int, unsigned, unsigned, unsigned, unsigned long,
                               unsigned long);
extern int XMapWindow(Display *, XID);
extern int XResizeWindow(Display *, XID, unsigned, unsigned);
extern int XDestroyWindow(Display *, XID);
extern int XSync(Display *, int);
extern int XFree(void *);
extern int XPending(Display *);
extern unsigned long XNextRequest(Display *);
extern int (*XSetErrorHandler(int (*)(Display *, XErrorEvent *)))(Display *, XErrorEvent *);

typedef void *GLXContext, *GLXFBConfig;
extern int glXQueryExtension(Display *, int *, int *);
extern int glXQueryVersion(Display *, int *, int *);
extern XVisualInfo *glXChooseVisual(Display *, int, int *);
extern int glXGetConfig(Display *, XVisualInfo *, int, int *);
extern GLXFBConfig *glXChooseFBConfig(Display *, int, const int *, int *);
extern GLXFBConfig *glXGetFBConfigs(Display *, int, int *);
extern int glXGetFBConfigAttrib(Display *, GLXFBConfig, int, int *);
extern XVisualInfo *glXGetVisualFromFBConfig(Display *, GLXFBConfig);
extern GLXContext glXCreateContext(Display *, XVisualInfo *, GLXContext, int);
extern GLXContext glXCreateNewContext(Display *, GLXFBConfig, int, GLXContext, int);
extern GLXContext glXCreateContextAttribsARB(Display *, GLXFBConfig, GLXContext, int, const int *);
extern void glXDestroyContext(Display *, GLXContext);
extern int glXMakeCurrent(Display *, XID, GLXContext);
extern int glXMakeContextCurrent(Display *, XID, XID, GLXContext);
extern XID glXCreateWindow(Display *, GLXFBConfig, XID, const int *);
extern void glXDestroyWindow(Display *, XID);
extern XID glXCreatePbuffer(Display *, GLXFBConfig, const int *);
extern void glXDestroyPbuffer(Display *, XID);
extern XID glXCreatePixmap(Display *, GLXFBConfig, XID, const int *);
extern void glXQueryDrawable(Display *, XID, int, unsigned *);
extern int glXQueryContext(Display *, GLXContext, int, int *);
extern void glXSwapBuffers(Display *, XID);
extern void glXWaitX(void);
extern void glXWaitGL(void);
extern int glXIsDirect(Display *, GLXContext);
extern GLXContext glXGetCurrentContext(void);
extern XID glXGetCurrentDrawable(void);
extern XID glXGetCurrentReadDrawable(void);
extern Display *glXGetCurrentDisplay(void);
extern const char *glXQueryExtensionsString(Display *, int);
extern const char *glXGetClientString(Display *, int);
extern void *glXGetProcAddress(const unsigned char *);
extern void *glXGetProcAddressARB(const unsigned char *);
extern void glXSwapIntervalEXT(Display *, XID, int);

typedef void *EGLDisplay, *EGLConfig, *EGLContext, *EGLSurface, *EGLSync;
extern EGLDisplay eglGetDisplay(void *);
extern EGLDisplay eglGetPlatformDisplay(unsigned, void *, const intptr_t *);
extern unsigned eglInitialize(EGLDisplay, int *, int *);
extern unsigned eglTerminate(EGLDisplay);
extern unsigned eglBindAPI(unsigned);
extern unsigned eglQueryAPI(void);
extern unsigned eglChooseConfig(EGLDisplay, const int *, EGLConfig *, int, int *);
extern unsigned eglGetConfigAttrib(EGLDisplay, EGLConfig, int, int *);
extern EGLContext eglCreateContext(EGLDisplay, EGLConfig, EGLContext, const int *);
extern unsigned eglDestroyContext(EGLDisplay, EGLContext);
extern EGLSurface eglCreateWindowSurface(EGLDisplay, EGLConfig, XID, const int *);
extern EGLSurface eglCreatePlatformWindowSurface(EGLDisplay, EGLConfig, void *, const intptr_t *);
extern EGLSurface eglCreatePbufferSurface(EGLDisplay, EGLConfig, const int *);
extern EGLSurface eglCreatePixmapSurface(EGLDisplay, EGLConfig, XID, const int *);
extern unsigned eglDestroySurface(EGLDisplay, EGLSurface);
extern unsigned eglMakeCurrent(EGLDisplay, EGLSurface, EGLSurface, EGLContext);
extern unsigned eglSwapBuffers(EGLDisplay, EGLSurface);
extern unsigned eglSwapInterval(EGLDisplay, int);
extern unsigned eglQuerySurface(EGLDisplay, EGLSurface, int, int *);
extern unsigned eglQueryContext(EGLDisplay, EGLContext, int, int *);
extern EGLContext eglGetCurrentContext(void);
extern EGLSurface eglGetCurrentSurface(int);
extern EGLDisplay eglGetCurrentDisplay(void);
extern unsigned eglWaitNative(int);
extern unsigned eglReleaseThread(void);
extern int eglGetError(void);
extern const char *eglQueryString(EGLDisplay, int);
extern void *eglGetProcAddress(const char *);
extern EGLSync eglCreateSync(EGLDisplay, unsigned, const intptr_t *);
extern int eglClientWaitSync(EGLDisplay, EGLSync, int, uint64_t);
extern unsigned eglDestroySync(EGLDisplay, EGLSync);

/* The file that an address is in, without its directory. */
static inline const char *object_of(void *address) {
    Dl_info info;
    if (!address || !dladdr(address, &info)) return "nothing";
    const char *slash = strrchr(info.dli_fname, '/');
    return slash ? slash + 1 : info.dli_fname;
}

static int x_errors;
static inline int count_error(Display *display, XErrorEvent *event) {
    (void)display;
    fprintf(stderr, "X error %d in request %d\n", event->error_code, event->request_code);
    x_errors++;
    return 0;
}

enum {
    GLX_DOUBLEBUFFER = 5, GLX_RGBA = 4, GLX_RED_SIZE = 8, GLX_ALPHA_SIZE = 11, GLX_DEPTH_SIZE = 12,
    GLX_STENCIL_SIZE = 13, GLX_USE_GL = 1, GLX_VISUAL_ID = 0x800b, GLX_DRAWABLE_TYPE = 0x8010,
    GLX_RENDER_TYPE = 0x8011, GLX_FBCONFIG_ID = 0x8013, GLX_RGBA_TYPE = 0x8014, GLX_WIDTH = 0x801d,
    GLX_HEIGHT = 0x801e, GLX_PBUFFER_HEIGHT = 0x8040, GLX_PBUFFER_WIDTH = 0x8041,
    GLX_CONTEXT_MAJOR = 0x2091, GLX_CONTEXT_MINOR = 0x2092, GLX_CONTEXT_PROFILE = 0x9126,
    GLX_SAMPLES = 100001, GLX_SWAP_INTERVAL = 0x20f1,
};

#ifdef NO_FIRST_THREAD
/* A process that gets no thread, at its first try. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg) {
    static int tries;
    if (__sync_fetch_and_add(&tries, 1) == 0)
        return 11; /* EAGAIN */
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
    return real(thread, attr, start, arg);
}
#endif
