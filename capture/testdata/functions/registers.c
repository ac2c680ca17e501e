/* Vector registers of AArch64 are after a call as they were before, whatever the runtime calls meanwhile: those that
 * every processor has, those of any length (sve), and in streaming mode (sme). The argument says which. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void call_neon(const void *from, void *to);
void call_sve(const void *from, void *to);
void call_sme(const void *from, void *to);
__attribute__((noinline, noclone)) void empty(void) { __asm__ volatile(""); }

#define EACH_32 \
    ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, " \
    "28, 29, 30, 31\n"
#define EACH_16 ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
#define FRAME "stp x29, x30, [sp, #-32]!\n mov x29, sp\n str x19, [sp, #16]\n mov x19, x1\n"
#define END "ldr x19, [sp, #16]\n ldp x29, x30, [sp], #32\n ret\n"
#define Z(what) EACH_32 what " z\\i, [x9, #\\i, mul vl]\n.endr\naddvl x9, x9, #31\naddvl x9, x9, #1\n" \
                EACH_16 what " p\\i, [x9, #\\i, mul vl]\n.endr\n"
__asm__(
    ".arch_extension sve\n"
    "call_neon:\n" FRAME EACH_32 "ldr q\\i, [x0], #16\n.endr\n"
    "bl empty\n" EACH_32 "str q\\i, [x19], #16\n.endr\n" END
    "call_sve:\n" FRAME "mov x9, x0\n" Z("ldr") "wrffr p3.b\n"
    "bl empty\n mov x9, x19\n" Z("str") "rdffr p0.b\n str p0, [x9, #16, mul vl]\n" END
    "call_sme:\n" FRAME ".inst 0xd503437f\n mov x9, x0\n" Z("ldr")
    "bl empty\n mov x9, x19\n" Z("str") ".inst 0xd503427f\n" END
    ".arch_extension nosve\n");

int main(int argc, char **argv)
{
    static uint8_t from[1 << 14], to[1 << 14];
    const char *which = argc > 1 ? argv[1] : "neon";
    for (unsigned i = 0; i < sizeof from; i++) from[i] = (uint8_t)(i * 2654435761u >> 13);
    if (strcmp(which, "sve") == 0) call_sve(from, to);
    else if (strcmp(which, "sme") == 0) call_sme(from, to);
    else call_neon(from, to);
    unsigned same = 0;
    while (same < sizeof from && from[same] == to[same]) same++;
    printf("%u bytes\n", same);
    return 0;
}
