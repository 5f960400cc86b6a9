/* Under which names this process gets which library. Prints `route name object`, a line each. */
#include "common.h"

static const char *names[] = {
    "libGL.so.1",   "libGLX.so.0", "libOpenGL.so.0", "libEGL.so.1", "libGLESv2.so.2",
    "libGLESv1_CM.so.1", "libGL.so", "libGLX.so", "libOpenGL.so", "libEGL.so", "libGLESv2.so",
};

static void report(const char *route, const char *name) {
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    const char *symbol = strstr(name, "EGL") ? "eglGetProcAddress"
                         : strstr(name, "GLX") ? "glXGetProcAddress"
                                               : "glClear";
    printf("%s %s %s\n", route, name, handle ? object_of(dlsym(handle, symbol)) : "nothing");
}

int main(int argc, char **argv) {
    size_t count = argc > 1 && strcmp(argv[1], "versioned") == 0 ? 5 : sizeof names / sizeof *names;
    printf("linked glXGetProcAddress %s\n", object_of((void *)glXGetProcAddress));
    for (size_t i = 0; i < count; i++) report("before", names[i]);
    /* The driver opens the system's libEGL when the first context is made. */
    Display *dpy = XOpenDisplay(NULL);
    CHECK(dpy);
    int n = 0;
    GLXFBConfig *configs = glXGetFBConfigs(dpy, 0, &n);
    GLXContext ctx = configs ? glXCreateNewContext(dpy, configs[0], GLX_RGBA_TYPE, NULL, 1) : NULL;
    printf("context %s\n", ctx ? "made" : "refused");
    for (size_t i = 0; i < count; i++) report("after", names[i]);
    return 0;
}
