/* Plays a language binding of an MPI library. */
#include <stdint.h>
uint64_t h_site(int mode);
static volatile int zero;
__attribute__((noinline)) static uint64_t inner(int mode)
{
    uint64_t w = h_site(mode);
    zero += 0;
    return w;
}
uint64_t binding_call(int mode)
{
    uint64_t w = inner(mode);
    zero += 0;
    return w;
}
void binding_callback(void (*f)(void))
{
    f();
    zero += 0;
}
const void *binding_place(void) { return (const void *)inner; } /* no stub of the program's */
