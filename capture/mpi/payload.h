/* What messages carry, as fingerprints: payload.c says when, typemap.c where the bytes of a datatype lie. */
#ifndef TABARD_PAYLOAD_H
#define TABARD_PAYLOAD_H
#include "mpi/fingerprint.h"
#include "mpi/wrapper.h"

#pragma GCC visibility push(hidden)

/* How the elements of a datatype lie: a run of bytes, or a list of other ones, some of them repeated. */
struct tb_layout;
struct tb_datatype {
    int element;       /* TB_E_*: what all of it is made of; TB_E_BYTES if that differs */
    int64_t size, extent;
    const struct tb_layout *layout; /* NULL: its bytes in a row */
};
/* 0: it is not known. What is given stays until tb_datatype_done, and datatypes wait for it. */
int tb_datatype_of(uintptr_t handle, struct tb_datatype *d);
void tb_datatype_done(const struct tb_datatype *d);

int tb_datatype_predefined(uintptr_t handle); /* it lives on */

/* Calls each(context, address, bytes) for what count elements at data are made of, in the order of the type map, until
 * it gives 0. */
typedef int tb_run(void *context, const char *data, size_t bytes);
int tb_datatype_runs(const struct tb_datatype *d, const char *data, int64_t count, tb_run *each, void *context);

#pragma GCC visibility pop
#endif
