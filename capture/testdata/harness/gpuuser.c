/* A library that uses the runtime it is linked with. */
#include <stddef.h>
int cudaMalloc(void *, size_t), cudaFree(void *);

void *user_get(size_t n)
{
    void *p = NULL;
    return cudaMalloc(&p, n) == 0 ? p : NULL;
}

int user_drop(void *p)
{
    int r = cudaFree(p);
    return r;
}
