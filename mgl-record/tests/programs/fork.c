/* Children of a process that uses GL: each must be able to end, to exec, and to use GL itself. */
#include "common.h"

static void use_gl(const char *who) {
    Display *dpy = XOpenDisplay(NULL);
    CHECK(dpy);
    int count = 0;
    GLXFBConfig *configs = glXChooseFBConfig(dpy, XDefaultScreen(dpy), NULL, &count);
    CHECK(configs && count > 0);
    GLXContext ctx = glXCreateNewContext(dpy, configs[0], GLX_RGBA_TYPE, NULL, 1);
    CHECK(ctx);
    XID w = XCreateSimpleWindow(dpy, XRootWindow(dpy, 0), 0, 0, 40, 30, 0, 0, 0);
    CHECK(glXMakeCurrent(dpy, w, ctx));
    for (int i = 0; i < 3; i++) glXSwapBuffers(dpy, w);
    printf("%s drew\n", who);
    fflush(stdout);
}

static int child(void (*body)(void)) {
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        alarm(20);
        body();
    }
    int status = 0;
    CHECK(waitpid(pid, &status, 0) == pid);
    return status;
}

static void leave(void) { _exit(3); }
static void leave_properly(void) { exit(4); }
static void become(void) { execl("/bin/sh", "sh", "-c", "exit 5", (char *)NULL); }
static void draw(void) {
    use_gl("child");
    _exit(6);
}
static void use_parents(void) {
    /* The parent's context is not this process's: refused, not a crash. */
    _exit(glXMakeCurrent(glXGetCurrentDisplay(), 0, glXGetCurrentContext()) ? 1 : 7);
}

int main(void) {
    CHECK(WEXITSTATUS(child(draw)) == 6);
    use_gl("parent");
    CHECK(WEXITSTATUS(child(leave)) == 3);
    CHECK(WEXITSTATUS(child(leave_properly)) == 4);
    CHECK(WEXITSTATUS(child(become)) == 5);
    CHECK(WEXITSTATUS(child(use_parents)) == 7);
    int status = child(draw);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 6);
    use_gl("parent");
    puts("ok");
    return 0;
}
