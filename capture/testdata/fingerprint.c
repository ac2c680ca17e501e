/* Fingerprints of data of all lengths, made at once and in pieces: a line for each. */
#include "core/readable.h"
#include "mpi/fingerprint.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static char data[1 << 20];

static void show(int element, size_t n, size_t piece)
{
    struct tb_fingerprint f = {0};
    for (size_t i = 0; i < n; i += piece) tb_fingerprint_add(&f, element, data + i, i + piece < n ? piece : n - i);
    printf("%d %zu %zu %lu %lu %.17g %.17g %.17g\n", element, n, piece, f.hash, f.sum, f.re, f.im, f.size);
}

int main(void)
{
    unsigned long x = 88172645463325252UL;
    for (size_t i = 0; i < sizeof data; i++) x ^= x << 13, x ^= x >> 7, x ^= x << 17, data[i] = (char)x;
    for (size_t i = 7; i < sizeof data; i += 8) data[i] = 0x3f; /* doubles, and every other float, are small */
    for (int e = TB_E_BYTES; e <= TB_E_UINT64; e++)
        for (size_t n = 8; n < 70000; n = n < 64 ? n + 8 : n * 3 / 16 * 8) show(e, n, n), show(e, n, 24), show(e, n, 16 << 10);
    for (size_t n = 8; n < sizeof data; n = n < 64 ? n + 8 : n * 3 / 16 * 8) show(TB_E_DOUBLE, n, n), show(TB_E_DOUBLE, n, 24 * 8);
    char *none = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(none + 4096, 4096, PROT_NONE);
    fprintf(stderr, "%d%d%d%d%d", tb_readable(none, 4096), tb_readable(none, 4097), tb_readable((void *)64, 8),
            tb_readable((void *)-64, 256), tb_readable(data, sizeof data));
    return 0;
}
