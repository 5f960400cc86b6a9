/* Frames of a program as the system's own GL draws them: what recordings of the driver are compared with.
 *
 * Preloaded into a program that does not run on the driver. Calls that end a frame (glXSwapBuffers, eglSwapBuffers and
 * its forms with damage) come here first, however the program finds them: by linking, by dlsym or by the
 * GetProcAddress functions. Frames are counted as the driver counts them: every swap of a double-buffered GLX drawable
 * and of an EGL window, whatever surface it is. Of those asked for, the back buffer is read before it is shown; the
 * state that reading needs is put back, and no GL error is made or taken.
 *
 * MGL_CAPTURE         the folder to write to: NNNNNN.frame (the words "MGLFRAME", width and height as 32-bit
 *                     little-endian numbers, rows of RGBA bytes from the bottom up), driver.txt (vendor, renderer and
 *                     version, a line each), `owner` (the process that writes here: the first one that shows a frame;
 *                     others are left alone), and `done` once all frames asked for are there.
 * MGL_CAPTURE_FRAMES  the frames, as numbers separated by commas.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* ---- What is asked for ------------------------------------------------------------------------------------------ */

enum { MOST_FRAMES = 4096, MOST_DRAWABLES = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* How deep this thread is in the functions below: a swap that a library makes within a swap ends no frame. */
static __thread int depth;

static const char *folder;
static uint64_t wanted[MOST_FRAMES];
static int wanted_count, written_count;
static uint64_t frame;        /* the next one to end */
static pid_t owner;           /* the process that the settings were read for; 0: not read */
static int active;

static void complain(const char *what) { fprintf(stderr, "mgl-capture: frame %llu: %s\n", (unsigned long long)frame, what); }

static int new_file(const char *name, int exclusive) {
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return -1;
    return open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (exclusive ? O_EXCL : O_TRUNC), 0666);
}

/* Reads the settings; a forked child finds that the folder has an owner already. */
static void start(void) {
    if (owner == getpid()) return;
    int first = owner == 0;
    owner = getpid();
    active = 0;
    folder = getenv("MGL_CAPTURE");
    const char *list = getenv("MGL_CAPTURE_FRAMES");
    if (!first || !folder || !list) return;
    while (*list && wanted_count < MOST_FRAMES) {
        char *end;
        wanted[wanted_count++] = strtoull(list, &end, 10);
        if (end == list || (*end && *end != ',')) {
            fprintf(stderr, "mgl-capture: MGL_CAPTURE_FRAMES is no list of numbers\n");
            return;
        }
        list = *end ? end + 1 : end;
    }
    int file = new_file("owner", 1);
    if (file < 0) {
        if (errno != EEXIST) fprintf(stderr, "mgl-capture: %s: %s\n", folder, strerror(errno));
        return;
    }
    dprintf(file, "%d\n", (int)owner);
    close(file);
    active = 1;
}

static int is_wanted(void) {
    for (int i = 0; i < wanted_count; i++)
        if (wanted[i] == frame) return 1;
    return 0;
}

static int write_all(int file, const void *bytes, size_t size) {
    const char *at = bytes;
    while (size > 0) {
        ssize_t n = write(file, at, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return 0;
        at += n, size -= (size_t)n;
    }
    return 1;
}

/* Under another name until it is whole. */
static void write_frame(const unsigned char *rgba, uint32_t width, uint32_t height) {
    unsigned char header[16] = "MGLFRAME";
    for (int i = 0; i < 4; i++) header[8 + i] = (unsigned char)(width >> 8 * i), header[12 + i] = (unsigned char)(height >> 8 * i);
    char part[4096], path[4096];
    int file = new_file("part", 0);
    int good = file >= 0 && write_all(file, header, sizeof header) && write_all(file, rgba, (size_t)width * height * 4);
    if (file >= 0 && close(file) != 0) good = 0;
    snprintf(part, sizeof part, "%s/part", folder);
    snprintf(path, sizeof path, "%s/%06llu.frame", folder, (unsigned long long)frame);
    if (!good || rename(part, path) != 0) {
        complain(strerror(errno));
        return;
    }
    written_count++;
}

/* ---- The real functions ----------------------------------------------------------------------------------------- */

typedef void *(*Dlsym)(void *, const char *);
static Dlsym real_dlsym;

static Dlsym the_real_dlsym(void) {
    if (!real_dlsym) {
        /* glibc 2.34 moved it; before, it had the version that its architecture started with. */
        const char *versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
        for (unsigned i = 0; i < sizeof versions / sizeof *versions && !real_dlsym; i++)
            real_dlsym = (Dlsym)dlvsym(RTLD_NEXT, "dlsym", versions[i]);
        if (!real_dlsym) {
            fprintf(stderr, "mgl-capture: this C library has no dlsym that is known here\n");
            abort();
        }
    }
    return real_dlsym;
}

/* A function of the system's: of the library after this one, else of those that programs open by name. */
static void *system_function(const char *name, const char *const *libraries) {
    void *found = the_real_dlsym()(RTLD_NEXT, name);
    for (int i = 0; !found && libraries[i]; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        if (library) found = the_real_dlsym()(library, name);
    }
    return found;
}

static const char *const GLX_LIBRARIES[] = {"libGLX.so.0", "libGL.so.1", NULL};
static const char *const EGL_LIBRARIES[] = {"libEGL.so.1", NULL};
static const char *const X11_LIBRARIES[] = {"libX11.so.6", NULL};

#define SYSTEM(libraries, type, name) \
    static __typeof__(type) real_##name; \
    if (!real_##name) real_##name = (type)system_function(#name, libraries)

/* ---- Reading the back buffer ------------------------------------------------------------------------------------ */

enum {
    GL_BACK = 0x405, GL_PACK_SWAP_BYTES = 0xD00, GL_PACK_LSB_FIRST = 0xD01, GL_PACK_ROW_LENGTH = 0xD02,
    GL_PACK_SKIP_ROWS = 0xD03, GL_PACK_SKIP_PIXELS = 0xD04, GL_PACK_ALIGNMENT = 0xD05, GL_READ_BUFFER = 0xC02,
    GL_UNSIGNED_BYTE = 0x1401, GL_RGBA = 0x1908, GL_VENDOR = 0x1F00, GL_RENDERER = 0x1F01, GL_VERSION = 0x1F02,
    GL_EXTENSIONS = 0x1F03, GL_PIXEL_PACK_BUFFER = 0x88EB, GL_PIXEL_PACK_BUFFER_BINDING = 0x88ED,
    GL_READ_FRAMEBUFFER = 0x8CA8, GL_READ_FRAMEBUFFER_BINDING = 0x8CAA, GL_FRAMEBUFFER = 0x8D40,
    GL_FRAMEBUFFER_BINDING = 0x8CA6,
};

typedef void (*Function)(void);
typedef Function (*Find)(const char *);

/* What the current context has of what reading disturbs. */
struct state {
    void (*bind_framebuffer)(unsigned, unsigned);
    void (*bind_buffer)(unsigned, unsigned);
    void (*read_buffer)(unsigned);
    unsigned framebuffer_target, framebuffer_binding;
    int pack_count;
};

static const unsigned PACK[] = {
    GL_PACK_ALIGNMENT, GL_PACK_ROW_LENGTH, GL_PACK_SKIP_ROWS, GL_PACK_SKIP_PIXELS, GL_PACK_SWAP_BYTES, GL_PACK_LSB_FIRST,
};

static int has_word(const char *text, const char *word) {
    size_t length = strlen(word);
    for (const char *at = text; at && (at = strstr(at, word)); at += length)
        if ((at == text || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0)) return 1;
    return 0;
}

/* By version, so that nothing is called that would make a GL error. */
static struct state state_of(Find find, const char *version, const char *(*get_string)(unsigned)) {
    struct state s = {0};
    int embedded = strncmp(version, "OpenGL ES", 9) == 0;
    const char *digits = version + strcspn(version, "0123456789");
    int number = digits[0] && digits[1] == '.' ? (digits[0] - '0') * 10 + (digits[2] - '0') : 0;
    const char *framebuffers = NULL;
    if (number >= 30) {
        framebuffers = "glBindFramebuffer";
        s.framebuffer_target = GL_READ_FRAMEBUFFER, s.framebuffer_binding = GL_READ_FRAMEBUFFER_BINDING;
    } else if (embedded && number >= 20) {
        framebuffers = "glBindFramebuffer";
        s.framebuffer_target = GL_FRAMEBUFFER, s.framebuffer_binding = GL_FRAMEBUFFER_BINDING;
    } else if (!embedded) {
        const char *extensions = get_string(GL_EXTENSIONS);
        if (has_word(extensions, "GL_EXT_framebuffer_object")) {
            int split = has_word(extensions, "GL_EXT_framebuffer_blit");
            framebuffers = "glBindFramebufferEXT";
            s.framebuffer_target = split ? GL_READ_FRAMEBUFFER : GL_FRAMEBUFFER;
            s.framebuffer_binding = split ? GL_READ_FRAMEBUFFER_BINDING : GL_FRAMEBUFFER_BINDING;
        }
    }
    if (framebuffers) s.bind_framebuffer = (void (*)(unsigned, unsigned))find(framebuffers);
    if (number >= (embedded ? 30 : 21)) s.bind_buffer = (void (*)(unsigned, unsigned))find("glBindBuffer");
    if (!embedded || number >= 30) s.read_buffer = (void (*)(unsigned))find("glReadBuffer");
    s.pack_count = !embedded ? 6 : number >= 30 ? 4 : 1;
    return s;
}

/* Reads and writes the frame of the current context's read surface. */
static void capture(Find find, int width, int height) {
    const char *(*get_string)(unsigned) = (const char *(*)(unsigned))find("glGetString");
    void (*get)(unsigned, int *) = (void (*)(unsigned, int *))find("glGetIntegerv");
    void (*pixel_store)(unsigned, int) = (void (*)(unsigned, int))find("glPixelStorei");
    void (*read_pixels)(int, int, int, int, unsigned, unsigned, void *) =
        (void (*)(int, int, int, int, unsigned, unsigned, void *))find("glReadPixels");
    const char *version = get_string && get && pixel_store && read_pixels ? get_string(GL_VERSION) : NULL;
    if (!version) return complain("no current context to read with");
    if (width <= 0 || height <= 0 || width > 32768 || height > 32768) return complain("the surface has no size");
    unsigned char *pixels = malloc((size_t)width * height * 4);
    if (!pixels) return complain("out of memory");

    if (written_count == 0) {
        int file = new_file("driver.txt", 0);
        if (file >= 0) {
            dprintf(file, "%s\n%s\n%s\n", get_string(GL_VENDOR), get_string(GL_RENDERER), version);
            close(file);
        }
    }

    struct state s = state_of(find, version, get_string);
    int framebuffer = 0, buffer = 0, read_buffer = GL_BACK, pack[6];
    if (s.bind_framebuffer) {
        get(s.framebuffer_binding, &framebuffer);
        if (framebuffer) s.bind_framebuffer(s.framebuffer_target, 0);
    }
    if (s.read_buffer) {
        get(GL_READ_BUFFER, &read_buffer);
        s.read_buffer(GL_BACK);
    }
    if (s.bind_buffer) {
        get(GL_PIXEL_PACK_BUFFER_BINDING, &buffer);
        if (buffer) s.bind_buffer(GL_PIXEL_PACK_BUFFER, 0);
    }
    for (int i = 0; i < s.pack_count; i++) {
        get(PACK[i], &pack[i]);
        pixel_store(PACK[i], i == 0 ? 4 : 0);
    }

    read_pixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);

    for (int i = 0; i < s.pack_count; i++) pixel_store(PACK[i], pack[i]);
    if (buffer) s.bind_buffer(GL_PIXEL_PACK_BUFFER, (unsigned)buffer);
    if (s.read_buffer) s.read_buffer((unsigned)read_buffer);
    if (framebuffer) s.bind_framebuffer(s.framebuffer_target, (unsigned)framebuffer);

    write_frame(pixels, (uint32_t)width, (uint32_t)height);
    free(pixels);
}

/* A frame has ended. */
static void ended(void) {
    frame++;
    if (written_count < wanted_count) return;
    int file = new_file("done", 0);
    if (file >= 0) close(file);
    active = 0;
}

/* Takes part in a swap: whether this is the outermost one, and frames are wanted. */
static int enter(void) {
    if (depth++ > 0) return 0;
    pthread_mutex_lock(&lock);
    start();
    if (active) return 1;
    pthread_mutex_unlock(&lock);
    return 0;
}

/* ---- GLX -------------------------------------------------------------------------------------------------------- */

enum { GLX_DOUBLEBUFFER = 5, GLX_FBCONFIG_ID = 0x8013, GLX_WIDTH = 0x801D, GLX_HEIGHT = 0x801E, GLX_SCREEN = 0x800C };

/* Whether a swap of the drawable shows anything. Asked once a drawable, of the context's configuration. */
static int is_double_buffered(void *dpy, unsigned long drawable, void *context) {
    static unsigned long seen[MOST_DRAWABLES];
    static int answers[MOST_DRAWABLES], next;
    for (int i = 0; i < MOST_DRAWABLES; i++)
        if (drawable && seen[i] == drawable) return answers[i];
    SYSTEM(GLX_LIBRARIES, int (*)(void *, void *, int, int *), glXQueryContext);
    SYSTEM(GLX_LIBRARIES, void **(*)(void *, int, const int *, int *), glXChooseFBConfig);
    SYSTEM(GLX_LIBRARIES, int (*)(void *, void *, int, int *), glXGetFBConfigAttrib);
    SYSTEM(X11_LIBRARIES, int (*)(void *), XFree);
    int screen = 0, id = 0, count = 0, answer = 1;
    if (!context || !real_glXQueryContext || !real_glXChooseFBConfig || !real_glXGetFBConfigAttrib) return answer;
    if (real_glXQueryContext(dpy, context, GLX_SCREEN, &screen) != 0) return answer;
    if (real_glXQueryContext(dpy, context, GLX_FBCONFIG_ID, &id) != 0) return answer;
    int named[] = {GLX_FBCONFIG_ID, id, 0};
    void **configs = real_glXChooseFBConfig(dpy, screen, named, &count);
    if (configs && count > 0) real_glXGetFBConfigAttrib(dpy, configs[0], GLX_DOUBLEBUFFER, &answer);
    if (configs && real_XFree) real_XFree(configs);
    seen[next] = drawable, answers[next] = answer;
    next = (next + 1) % MOST_DRAWABLES;
    return answer;
}

static void capture_glx(void *dpy, unsigned long drawable) {
    SYSTEM(GLX_LIBRARIES, Find, glXGetProcAddressARB);
    SYSTEM(GLX_LIBRARIES, void *(*)(void), glXGetCurrentContext);
    SYSTEM(GLX_LIBRARIES, unsigned long (*)(void), glXGetCurrentDrawable);
    SYSTEM(GLX_LIBRARIES, unsigned long (*)(void), glXGetCurrentReadDrawable);
    SYSTEM(GLX_LIBRARIES, int (*)(void *, unsigned long, unsigned long, void *), glXMakeContextCurrent);
    SYSTEM(GLX_LIBRARIES, void (*)(void *, unsigned long, int, unsigned *), glXQueryDrawable);
    if (!real_glXGetProcAddressARB || !real_glXGetCurrentContext || !real_glXGetCurrentDrawable ||
        !real_glXGetCurrentReadDrawable || !real_glXMakeContextCurrent || !real_glXQueryDrawable)
        return complain("no GLX 1.3 library was found");
    void *context = real_glXGetCurrentContext();
    if (!is_double_buffered(dpy, drawable, context)) return;
    if (is_wanted()) {
        unsigned long draw = real_glXGetCurrentDrawable(), read = real_glXGetCurrentReadDrawable();
        int elsewhere = read != drawable;
        if (!context) {
            complain("no current context to read with");
        } else if (elsewhere && !real_glXMakeContextCurrent(dpy, drawable, drawable, context)) {
            complain("the surface cannot be read: it is not the current one");
        } else {
            unsigned width = 0, height = 0;
            real_glXQueryDrawable(dpy, drawable, GLX_WIDTH, &width);
            real_glXQueryDrawable(dpy, drawable, GLX_HEIGHT, &height);
            capture(real_glXGetProcAddressARB, (int)width, (int)height);
            if (elsewhere) real_glXMakeContextCurrent(dpy, draw, read, context);
        }
    }
    ended();
}

EXPORT void glXSwapBuffers(void *dpy, unsigned long drawable) {
    SYSTEM(GLX_LIBRARIES, void (*)(void *, unsigned long), glXSwapBuffers);
    if (enter()) {
        capture_glx(dpy, drawable);
        pthread_mutex_unlock(&lock);
    }
    if (real_glXSwapBuffers) real_glXSwapBuffers(dpy, drawable);
    depth--;
}

/* ---- EGL -------------------------------------------------------------------------------------------------------- */

enum { EGL_HEIGHT = 0x3056, EGL_WIDTH = 0x3057, EGL_LARGEST_PBUFFER = 0x3058, EGL_DRAW = 0x3059, EGL_READ = 0x305A };

static void capture_egl(void *dpy, void *surface) {
    SYSTEM(EGL_LIBRARIES, Find, eglGetProcAddress);
    SYSTEM(EGL_LIBRARIES, void *(*)(void), eglGetCurrentContext);
    SYSTEM(EGL_LIBRARIES, void *(*)(int), eglGetCurrentSurface);
    SYSTEM(EGL_LIBRARIES, unsigned (*)(void *, void *, void *, void *), eglMakeCurrent);
    SYSTEM(EGL_LIBRARIES, unsigned (*)(void *, void *, int, int *), eglQuerySurface);
    if (!real_eglGetProcAddress || !real_eglGetCurrentContext || !real_eglGetCurrentSurface || !real_eglMakeCurrent ||
        !real_eglQuerySurface)
        return complain("no EGL library was found");
    /* Only a pbuffer has an answer here (EGL 1.5, 3.5.6); its swap shows nothing. */
    int pbuffer = -1;
    if (!real_eglQuerySurface(dpy, surface, EGL_LARGEST_PBUFFER, &pbuffer) || pbuffer != -1) return;
    /* Another surface than the current one cannot be shown (EGL 1.5, 3.10.4). */
    if (real_eglGetCurrentSurface(EGL_DRAW) != surface) return;
    if (is_wanted()) {
        void *context = real_eglGetCurrentContext(), *read = real_eglGetCurrentSurface(EGL_READ);
        int elsewhere = read != surface, width = 0, height = 0;
        if (elsewhere && !real_eglMakeCurrent(dpy, surface, surface, context)) {
            complain("the surface cannot be read: it is not the current one");
        } else {
            real_eglQuerySurface(dpy, surface, EGL_WIDTH, &width);
            real_eglQuerySurface(dpy, surface, EGL_HEIGHT, &height);
            capture(real_eglGetProcAddress, width, height);
            if (elsewhere) real_eglMakeCurrent(dpy, surface, read, context);
        }
    }
    ended();
}

static void before_egl_swap(void *dpy, void *surface) {
    if (enter()) {
        capture_egl(dpy, surface);
        pthread_mutex_unlock(&lock);
    }
}

EXPORT unsigned eglSwapBuffers(void *dpy, void *surface) {
    SYSTEM(EGL_LIBRARIES, unsigned (*)(void *, void *), eglSwapBuffers);
    before_egl_swap(dpy, surface);
    unsigned answer = real_eglSwapBuffers ? real_eglSwapBuffers(dpy, surface) : 0;
    depth--;
    return answer;
}

typedef unsigned (*SwapWithDamage)(void *, void *, const int *, int);

/* Extension functions come from eglGetProcAddress alone; programs get ours only where the system has its own. */
static unsigned swap_with_damage(const char *name, SwapWithDamage *real, void *dpy, void *surface, const int *rects, int count) {
    SYSTEM(EGL_LIBRARIES, Find, eglGetProcAddress);
    if (!*real && real_eglGetProcAddress) *real = (SwapWithDamage)real_eglGetProcAddress(name);
    before_egl_swap(dpy, surface);
    unsigned answer = *real ? (*real)(dpy, surface, rects, count) : 0;
    depth--;
    return answer;
}

EXPORT unsigned eglSwapBuffersWithDamageKHR(void *dpy, void *surface, const int *rects, int count) {
    static SwapWithDamage real;
    return swap_with_damage("eglSwapBuffersWithDamageKHR", &real, dpy, surface, rects, count);
}

EXPORT unsigned eglSwapBuffersWithDamageEXT(void *dpy, void *surface, const int *rects, int count) {
    static SwapWithDamage real;
    return swap_with_damage("eglSwapBuffersWithDamageEXT", &real, dpy, surface, rects, count);
}

/* ---- How programs find functions -------------------------------------------------------------------------------- */

EXPORT Function glXGetProcAddress(const char *name);
EXPORT Function glXGetProcAddressARB(const char *name);
EXPORT Function eglGetProcAddress(const char *name);

static const struct { const char *name; Function ours; } HOOKS[] = {
    {"glXSwapBuffers", (Function)glXSwapBuffers},
    {"glXGetProcAddress", (Function)glXGetProcAddress},
    {"glXGetProcAddressARB", (Function)glXGetProcAddressARB},
    {"eglSwapBuffers", (Function)eglSwapBuffers},
    {"eglSwapBuffersWithDamageKHR", (Function)eglSwapBuffersWithDamageKHR},
    {"eglSwapBuffersWithDamageEXT", (Function)eglSwapBuffersWithDamageEXT},
    {"eglGetProcAddress", (Function)eglGetProcAddress},
};

static Function hook(const char *name) {
    if (!name || (name[0] != 'g' && name[0] != 'e')) return NULL;
    for (unsigned i = 0; i < sizeof HOOKS / sizeof *HOOKS; i++)
        if (strcmp(name, HOOKS[i].name) == 0) return HOOKS[i].ours;
    return NULL;
}

/* Ours in the place of one that the system has. */
static Function instead(Function real, const char *name) {
    Function ours = real ? hook(name) : NULL;
    return ours ? ours : real;
}

EXPORT Function glXGetProcAddressARB(const char *name) {
    SYSTEM(GLX_LIBRARIES, Find, glXGetProcAddressARB);
    return instead(real_glXGetProcAddressARB ? real_glXGetProcAddressARB(name) : NULL, name);
}

EXPORT Function glXGetProcAddress(const char *name) { return glXGetProcAddressARB(name); }

EXPORT Function eglGetProcAddress(const char *name) {
    SYSTEM(EGL_LIBRARIES, Find, eglGetProcAddress);
    return instead(real_eglGetProcAddress ? real_eglGetProcAddress(name) : NULL, name);
}

/* Whether an address lies in one of the system's GL libraries, which look each other's functions up. */
static int is_of_gl_library(const void *address) {
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname) return 0;
    const char *slash = strrchr(info.dli_fname, '/'), *name = slash ? slash + 1 : info.dli_fname;
    const char *const LIBRARIES[] = {"libGL.so", "libGLX", "libOpenGL.so", "libEGL", "libGLdispatch"};
    for (unsigned i = 0; i < sizeof LIBRARIES / sizeof *LIBRARIES; i++)
        if (strncmp(name, LIBRARIES[i], strlen(LIBRARIES[i])) == 0) return 1;
    return 0;
}

__attribute__((noinline)) static void *find_hooked(void *handle, const char *name, const void *caller) {
    void *real = the_real_dlsym()(handle, name);
    return is_of_gl_library(caller) ? real : (void *)instead((Function)real, name);
}

/* RTLD_NEXT means "after the caller", whom the real dlsym knows by the return address: what is not ours is jumped to,
 * which is what optimising compilers make of a call in this place. */
EXPORT void *dlsym(void *handle, const char *name) {
    if (hook(name)) return find_hooked(handle, name, __builtin_return_address(0));
    Dlsym real = the_real_dlsym();
    return real(handle, name);
}
