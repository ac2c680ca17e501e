/* GPU memory becomes segments, whichever way the runtime was loaded. */
#include "harness.h"
#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int cudaMalloc(void *, size_t), cudaFree(void *), cudaMallocManaged(void *, size_t, unsigned), cudaMallocHost(void *, size_t);
int cudaFreeHost(void *), cudaHostAlloc(void *, size_t, unsigned), cudaMallocAsync(void *, size_t, void *);
int cudaFreeAsync(void *, void *), cudaMallocPitch(void *, size_t *, size_t, size_t);
int cuMemAlloc_v2(void *, size_t), cuMemFree_v2(void *), cuMemAllocManaged(void *, size_t, unsigned), cuMemFreeHost(void *);
int cuMemAllocHost_v2(void *, size_t), cuMemAllocAsync(void *, size_t, void *), cuMemFreeAsync(void *, void *);
int hipMalloc(void *, size_t), hipFree(void *), hipMallocManaged(void *, size_t, unsigned), hipHostFree(void *);
int hipHostMalloc(void *, size_t, unsigned), hipMallocAsync(void *, size_t, void *), hipFreeAsync(void *, void *);

int hipMallocPitch(void *, size_t *, size_t, size_t), cuMemAllocPitch_v2(void *, size_t *, size_t, size_t, unsigned);
int hipMemAllocPitch(void *, size_t *, size_t, size_t, unsigned), hipExtMallocWithFlags(void *, size_t, unsigned);
int hipMemAllocHost(void *, size_t);
struct pitched { void *p; size_t pitch, w, h; };
struct extent { size_t w, h, d; };
int cudaMalloc3D(struct pitched *, struct extent), hipMalloc3D(struct pitched *, struct extent);

static int *live;

static void expect(char *p, size_t n, int kind)
{
    uint64_t w = h_word(p + n - 1);
    CHECK(class_of(w) == HEAP && offset_of(w) == n - 1 && h_kind(number_of(w)) == kind && h_bytes(number_of(w)) == n);
    CHECK(*live == 1);
}

static void gone(char *p)
{
    CHECK(*live == 0);
    CHECK(class_of(h_word(p)) == RAW && h_count(16) == h_count(17));
}

#define TRY(kind, n, allocate, release) \
    do { CHECK((allocate) == 0); expect(p, n, kind); CHECK((release) == 0); gone(p); } while (0)

int main(int argc, char **argv)
{
    char *p;
    size_t pitch;
    (void)argc;
    h_attach();
    if (argv[1]) { /* the runtime is not there yet, and never offers its symbols to all */
        CHECK(cudaMalloc(&p, 10) != 0);
        CHECK(dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) != NULL);
    }
    live = dlsym(argv[1] ? dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) : RTLD_DEFAULT, "fakegpu_live");
    CHECK(live != NULL);
    TRY(4, 1000, cudaMalloc(&p, 1000), cudaFree(p));
    TRY(5, 5000, cudaMallocManaged(&p, 5000, 7), cudaFree(p));
    TRY(6, 100, cudaMallocHost(&p, 100), cudaFreeHost(p));
    TRY(6, 100, cudaHostAlloc(&p, 100, 7), cudaFreeHost(p));
    TRY(4, 100, cudaMallocAsync(&p, 100, (void *)7), cudaFreeAsync(p, (void *)7));
    TRY(4, 5120, cudaMallocPitch(&p, &pitch, 100, 10), cudaFree(p));
    TRY(4, 1000, cuMemAlloc_v2(&p, 1000), cuMemFree_v2(p));
    TRY(5, 5000, cuMemAllocManaged(&p, 5000, 7), cuMemFree_v2(p));
    TRY(6, 100, cuMemAllocHost_v2(&p, 100), cuMemFreeHost(p));
    TRY(4, 100, cuMemAllocAsync(&p, 100, (void *)7), cuMemFreeAsync(p, (void *)7));
    TRY(4, 1000, hipMalloc(&p, 1000), hipFree(p));
    TRY(5, 5000, hipMallocManaged(&p, 5000, 7), hipFree(p));
    TRY(6, 100, hipHostMalloc(&p, 100, 7), hipHostFree(p));
    TRY(4, 100, hipMallocAsync(&p, 100, (void *)7), hipFreeAsync(p, (void *)7));
    TRY(4, 5120, hipMallocPitch(&p, &pitch, 100, 10), hipFree(p));
    TRY(4, 5120, cuMemAllocPitch_v2(&p, &pitch, 100, 10, 4), cuMemFree_v2(p));
    TRY(4, 5120, hipMemAllocPitch(&p, &pitch, 100, 10, 4), hipFree(p));
    TRY(4, 100, hipExtMallocWithFlags(&p, 100, 7), hipFree(p));
    TRY(6, 100, hipMemAllocHost(&p, 100), hipHostFree(p));
    struct pitched box;
    TRY(4, 512 * 6, (cudaMalloc3D(&box, (struct extent){100, 2, 3}) || !(p = box.p)), cudaFree(p));
    TRY(4, 512 * 6, (hipMalloc3D(&box, (struct extent){100, 2, 3}) || !(p = box.p)), hipFree(p));
    CHECK(cudaMalloc(&p, (size_t)1 << 40) == 2 && cudaFree(NULL) == 0);
    if (argv[1]) { /* unloaded, and other memory in its place */
        void *handle = dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD), *place = (char *)live - (uintptr_t)live % (uintptr_t)getpagesize();
        CHECK(class_of(h_word(live)) == MODULE && class_of(h_word((char *)live + 1)) == MODULE);
        for (int i = 0; i < 3; i++) CHECK(dlclose(handle) == 0);
        CHECK(class_of(h_word(live)) == RAW);
        CHECK(mmap(place, (size_t)getpagesize(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == place);
        CHECK(class_of(h_word(live)) == HEAP);
    }
    puts("ok");
    return 0;
}
