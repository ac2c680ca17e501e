/* Fingerprints of what messages carry: see fingerprint.c. Knows no MPI. */
#ifndef TABARD_FINGERPRINT_H
#define TABARD_FINGERPRINT_H
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* What elements are, for sums of them: TB_E_BYTES have none. */
enum { TB_E_BYTES, TB_E_INT8, TB_E_INT16, TB_E_INT32, TB_E_INT64, TB_E_UINT8, TB_E_UINT16, TB_E_UINT32, TB_E_UINT64,
       TB_E_FLOAT, TB_E_DOUBLE };

/* Zero at first. */
struct tb_fingerprint {
    uint64_t hash;        /* of the bytes, in the order of the type map */
    uint64_t sum;         /* of integers */
    double re, im, size;  /* of reals; size is the sum of their amounts */
    uint64_t elements;
};

int tb_element_bytes(int element);
/* Adds whole elements. Where they lie must be readable. */
void tb_fingerprint_add(struct tb_fingerprint *f, int element, const void *data, size_t bytes);

#pragma GCC visibility pop
#endif
