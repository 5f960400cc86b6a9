/* Makes a desktop OpenGL context by the libEGL in argv[1], as no driver of ours may: what the spy must notice. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

enum { SURFACELESS = 0x31dd, API_GL = 0x30a2, NONE = 0x3038, RENDERABLE = 0x3040, GL_BIT = 8,
       SURFACE_TYPE = 0x3033, PBUFFER_BIT = 1 };

int main(int argc, char **argv) {
    void *egl = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (!egl) return 1;
    void *(*display_of)(unsigned, void *, const intptr_t *) = dlsym(egl, "eglGetPlatformDisplay");
    unsigned (*initialize)(void *, int *, int *) = dlsym(egl, "eglInitialize");
    unsigned (*bind)(unsigned) = dlsym(egl, "eglBindAPI");
    unsigned (*choose)(void *, const int *, void **, int, int *) = dlsym(egl, "eglChooseConfig");
    void *(*create)(void *, void *, void *, const int *) = dlsym(egl, "eglCreateContext");
    int count = 0, wanted[] = {SURFACE_TYPE, PBUFFER_BIT, RENDERABLE, GL_BIT, NONE};
    void *config = NULL, *display = display_of(SURFACELESS, NULL, NULL);
    if (!display || !initialize(display, NULL, NULL) || !bind(API_GL)) return 2;
    if (!choose(display, wanted, &config, 1, &count) || count < 1) return 3;
    return create(display, config, NULL, NULL) ? 0 : 4;
}
