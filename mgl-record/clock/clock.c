/* A virtual clock for programs that have to draw the same frames in every run (`mgl run --clock`).
 *
 * Preloaded into a program, it answers every question for the time from a counter that moves only when
 * the main thread asks: by a fixed step a reading, and by the length of a sleep, which returns at once.
 * Other threads read the counter without moving it and sleep for real, so how often they run changes
 * nothing. Random bytes come from a fixed sequence. What the kernel or libc's own code asks for behind
 * these functions (timeouts of poll, timed locks) stays real.
 *
 * Drivers live in the real time, with real random bytes: how often one looks at the clock depends on which one it is
 * and on how fast its threads are, and must not move the program's time; and it waits for those threads with timeouts.
 *
 * MGL_CLOCK_STEP_US: the step in microseconds, a decimal number; 1000 when absent.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define SECOND 1000000000LL

/* What the counter's zero means: an instant shortly after boot, the first second of 2024, no CPU time. */
static const int64_t BOOT_NS = 100 * SECOND;
static const int64_t WALL_NS = 1704067200 * SECOND;

static _Atomic int64_t counter_ns;
static _Atomic int64_t step_ns; /* 0: not read from the environment yet */

static int64_t step(void) {
    int64_t step = atomic_load_explicit(&step_ns, memory_order_relaxed);
    if (step == 0) {
        const char *text = getenv("MGL_CLOCK_STEP_US");
        double microseconds = text ? strtod(text, NULL) : 1000.0;
        step = microseconds >= 0.001 && microseconds <= 1e9 ? (int64_t)(microseconds * 1e3) : 1000000;
        atomic_store_explicit(&step_ns, step, memory_order_relaxed);
    }
    return step;
}

static int on_main_thread(void) { return syscall(SYS_gettid) == getpid(); }

/* The file that code lies in; NULL when nobody knows. */
static const char *file_of(void *code) {
#if defined(DLFO_STRUCT_HAS_EH_DBASE)
    /* Takes no lock: a thread may read the clock while another one loads a library and waits for it. */
    struct dl_find_object found;
    return _dl_find_object(code, &found) == 0 && found.dlfo_link_map ? found.dlfo_link_map->l_name : NULL;
#else
    Dl_info info;
    return dladdr(code, &info) ? info.dli_fname : NULL;
#endif
}

/* Whether code belongs to a driver: mgl, the system's libraries for OpenGL and Vulkan, and what they are made of. */
static int is_driver(void *code) {
    static const char *const STARTS[] = {
        "libmgl", "libGL.so", "libGLX", "libGLdispatch", "libGLES", "libOpenGL.so", "libEGL", "libglapi", "libgallium",
        "libgbm", "libdrm", "libvulkan", "libLLVM",
    };
    const char *path = file_of(code);
    const char *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;
    if (!name) return 0;
    for (size_t i = 0; i < sizeof STARTS / sizeof *STARTS; i++)
        if (strncmp(name, STARTS[i], strlen(STARTS[i])) == 0) return 1;
    size_t length = strlen(name), end = strlen("_dri.so");
    return length > end && strcmp(name + length - end, "_dri.so") == 0;
}

#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

/* The counter; a reading on the main thread moves it. */
static int64_t read_counter(void) {
    if (!on_main_thread()) return atomic_load(&counter_ns);
    int64_t by = step();
    return atomic_fetch_add(&counter_ns, by) + by;
}

static int64_t origin_of(clockid_t clock) {
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI: return WALL_NS;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID: return 0;
    default: return BOOT_NS;
    }
}

static struct timespec split(int64_t ns) {
    return (struct timespec){.tv_sec = ns / SECOND, .tv_nsec = ns % SECOND};
}

static int64_t join(const struct timespec *time) { return time->tv_sec * SECOND + time->tv_nsec; }

/* The time that a caller is told, in nanoseconds. */
static int64_t now(clockid_t clock, void *caller) {
    if (!is_driver(caller)) return origin_of(clock) + read_counter();
    struct timespec real = {0};
    syscall(SYS_clock_gettime, clock, &real);
    return join(&real);
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *time) {
    *time = split(now(clock, CALLER));
    return 0;
}

EXPORT int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    struct timespec wall = split(now(CLOCK_REALTIME, CALLER));
    *time = (struct timeval){.tv_sec = wall.tv_sec, .tv_usec = wall.tv_nsec / 1000};
    return 0;
}

EXPORT time_t time(time_t *result) {
    time_t seconds = now(CLOCK_REALTIME, CALLER) / SECOND;
    if (result) *result = seconds;
    return seconds;
}

EXPORT int timespec_get(struct timespec *time, int base) {
    if (base != TIME_UTC) return 0;
    *time = split(now(CLOCK_REALTIME, CALLER));
    return base;
}

EXPORT clock_t clock(void) { return now(CLOCK_PROCESS_CPUTIME_ID, CALLER) / (SECOND / CLOCKS_PER_SEC); }

static int is_valid(const struct timespec *time) {
    return time->tv_sec >= 0 && time->tv_sec < INT32_MAX && time->tv_nsec >= 0 && time->tv_nsec < SECOND;
}

/* clock_nanosleep for a caller; 0 or an error number. */
static int sleep_as(void *caller, clockid_t clock, int flags, const struct timespec *request, struct timespec *left) {
    if (is_driver(caller)) return syscall(SYS_clock_nanosleep, clock, flags, request, left) ? errno : 0;
    if (!is_valid(request)) return EINVAL;
    int64_t ns = join(request);
    if (flags & TIMER_ABSTIME) {
        ns -= origin_of(clock) + atomic_load(&counter_ns);
        left = NULL;
    }
    if (ns < 0) ns = 0;
    if (on_main_thread()) {
        atomic_fetch_add(&counter_ns, ns);
        /* Programs sleep to let other threads work. */
        syscall(SYS_sched_yield);
        return 0;
    }
    struct timespec rest = split(ns);
    return syscall(SYS_nanosleep, &rest, left) ? errno : 0;
}

EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *request, struct timespec *left) {
    return sleep_as(CALLER, clock, flags, request, left);
}

static int nanosleep_as(void *caller, const struct timespec *request, struct timespec *left) {
    int error = sleep_as(caller, CLOCK_REALTIME, 0, request, left);
    if (!error) return 0;
    errno = error;
    return -1;
}

EXPORT int nanosleep(const struct timespec *request, struct timespec *left) {
    return nanosleep_as(CALLER, request, left);
}

EXPORT int usleep(useconds_t microseconds) {
    struct timespec request = split((int64_t)microseconds * 1000);
    return nanosleep_as(CALLER, &request, NULL);
}

EXPORT unsigned sleep(unsigned seconds) {
    struct timespec request = {.tv_sec = seconds}, left = {0};
    return nanosleep_as(CALLER, &request, &left) ? (unsigned)left.tv_sec : 0;
}

/* splitmix64: each call takes its own place in the sequence, whatever thread it comes from. */
static uint64_t next_random(void) {
    static _Atomic uint64_t place;
    uint64_t z = atomic_fetch_add(&place, 0x9e3779b97f4a7c15) + 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static ssize_t random_for(void *caller, void *buffer, size_t length, unsigned flags) {
    if (is_driver(caller)) return syscall(SYS_getrandom, buffer, length, flags);
    unsigned char *bytes = buffer;
    uint64_t word = 0;
    for (size_t i = 0; i < length; i++, word >>= 8) {
        if (i % 8 == 0) word = next_random();
        bytes[i] = (unsigned char)word;
    }
    return (ssize_t)length;
}

EXPORT ssize_t getrandom(void *buffer, size_t length, unsigned flags) {
    return random_for(CALLER, buffer, length, flags);
}

EXPORT int getentropy(void *buffer, size_t length) {
    if (length > 256) {
        errno = EIO;
        return -1;
    }
    return random_for(CALLER, buffer, length, 0) == (ssize_t)length ? 0 : -1;
}
