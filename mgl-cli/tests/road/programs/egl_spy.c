/* Stands in for the system's libEGL (EGL_SPY_REAL) and writes down in EGL_SPY_LOG which client APIs are bound and what
   kind of context is made. Arguments of EGL are integers and pointers, six at most. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
typedef intptr_t word;
typedef word (*function)(word, word, word, word, word, word);

static void *real(const char *name) {
    static void *library;
    if (!library) library = dlopen(getenv("EGL_SPY_REAL"), RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) {
        fprintf(stderr, "egl_spy: %s is missing: %s\n", name, dlerror());
        abort();
    }
    return found;
}

static void note(const char *format, ...) {
    FILE *log = fopen(getenv("EGL_SPY_LOG"), "a");
    if (!log) abort();
    va_list values;
    va_start(values, format);
    vfprintf(log, format, values);
    va_end(values);
    fclose(log);
}

EXPORT word eglBindAPI(word api) {
    note("api %#x\n", (unsigned)api);
    return ((function)real("eglBindAPI"))(api, 0, 0, 0, 0, 0);
}

EXPORT word eglCreateContext(word display, word config, word share, word attributes) {
    enum { CLIENT_TYPE = 0x3097 };
    int type = 0;
    word context = ((function)real("eglCreateContext"))(display, config, share, attributes, 0, 0);
    if (context) {
        ((function)real("eglQueryContext"))(display, context, CLIENT_TYPE, (word)&type, 0, 0);
        note("context %#x\n", (unsigned)type);
    }
    return context;
}

EXPORT word eglGetProcAddress(const char *name) {
    if (strcmp(name, "eglBindAPI") == 0) return (word)eglBindAPI;
    if (strcmp(name, "eglCreateContext") == 0) return (word)eglCreateContext;
    if (strcmp(name, "eglGetProcAddress") == 0) return (word)eglGetProcAddress;
    return ((function)real("eglGetProcAddress"))((word)name, 0, 0, 0, 0, 0);
}

#define FORWARD(name)                                                 \
    EXPORT word name(word a, word b, word c, word d, word e, word f) { \
        return ((function)real(#name))(a, b, c, d, e, f);              \
    }
FORWARD(eglBindTexImage)
FORWARD(eglChooseConfig)
FORWARD(eglClientWaitSync)
FORWARD(eglCopyBuffers)
FORWARD(eglCreateImage)
FORWARD(eglCreatePbufferFromClientBuffer)
FORWARD(eglCreatePbufferSurface)
FORWARD(eglCreatePixmapSurface)
FORWARD(eglCreatePlatformPixmapSurface)
FORWARD(eglCreatePlatformWindowSurface)
FORWARD(eglCreateSync)
FORWARD(eglCreateWindowSurface)
FORWARD(eglDestroyContext)
FORWARD(eglDestroyImage)
FORWARD(eglDestroySurface)
FORWARD(eglDestroySync)
FORWARD(eglGetConfigAttrib)
FORWARD(eglGetConfigs)
FORWARD(eglGetCurrentContext)
FORWARD(eglGetCurrentDisplay)
FORWARD(eglGetCurrentSurface)
FORWARD(eglGetDisplay)
FORWARD(eglGetError)
FORWARD(eglGetPlatformDisplay)
FORWARD(eglGetSyncAttrib)
FORWARD(eglInitialize)
FORWARD(eglMakeCurrent)
FORWARD(eglQueryAPI)
FORWARD(eglQueryContext)
FORWARD(eglQueryString)
FORWARD(eglQuerySurface)
FORWARD(eglReleaseTexImage)
FORWARD(eglReleaseThread)
FORWARD(eglSurfaceAttrib)
FORWARD(eglSwapBuffers)
FORWARD(eglSwapInterval)
FORWARD(eglTerminate)
FORWARD(eglWaitClient)
FORWARD(eglWaitGL)
FORWARD(eglWaitNative)
FORWARD(eglWaitSync)
