/* An old habit: globals that are called like GL functions and hold their addresses. Exported
 * (-rdynamic), they come before ours in every lookup by name. */
#include "common.h"

void (*glClear)(unsigned);
void (*glDrawArrays)(unsigned, int, int);
unsigned (*glGetError)(void);
void (*glAccum)(unsigned, float);

int main(void) {
    struct {
        const char *name;
        void **variable;
    } all[] = {
        {"glClear", (void **)&glClear},
        {"glDrawArrays", (void **)&glDrawArrays},
        {"glGetError", (void **)&glGetError},
        {"glAccum", (void **)&glAccum},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const unsigned char *name = (const unsigned char *)all[i].name;
        void *address = glXGetProcAddressARB(name);
        CHECK(address && address != (void *)all[i].variable);
        CHECK(strcmp(object_of(address), "libmgl.so") == 0);
        CHECK(address == eglGetProcAddress(all[i].name));
        *all[i].variable = address;
    }
    /* Callable without a context; an unimplemented one is refused, and says so. */
    glClear(0);
    glDrawArrays(0, 0, 0);
    CHECK(glGetError() == 0);
    glAccum(0, 0);
    CHECK(!glXGetProcAddressARB((const unsigned char *)"glNoSuchFunction"));
    CHECK(!eglGetProcAddress("notEvenClose"));
    CHECK(!eglGetProcAddress(NULL));
    puts("ok");
    return 0;
}
