/* Loading and unloading again and again: the library stays, with one state. */
#include "common.h"

int main(void) {
    void *first = NULL;
    for (int i = 0; i < 20; i++) {
        void *handle = dlopen(i % 2 ? "libGL.so.1" : "libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
        CHECK(handle);
        void *(*get)(const char *) = dlsym(handle, i % 2 ? "glXGetProcAddress" : "eglGetProcAddress");
        CHECK(get);
        void *address = get("glFlush");
        CHECK(address && (!first || first == address));
        first = address;
        CHECK(dlclose(handle) == 0);
    }
    ((void (*)(void))first)();
    puts("ok");
    return 0;
}
