//go:build ignore

/* Neutral functions in place of the program's callbacks. */
#include <string.h>
#include "executor.h"

__thread uint32_t rp_fails __attribute__((tls_model("initial-exec")));

static int nothing(void) { return 0; }

/* A call that runs attribute callbacks and failed did so because one of them said so. */
static int attribute(void)
{
    return !rp_fails ? 0 : tb_abi.kind == 2 ? 15 : 16; /* MPI_ERR_OTHER */
}

static int copy(uintptr_t object, int keyval, void *extra, void *value, void *copied, int *flag)
{
    (void)object, (void)keyval, (void)extra;
    *(void **)copied = value;
    *flag = 1;
    return attribute();
}

static int no_copy(uintptr_t object, int keyval, void *extra, void *value, void *copied, int *flag)
{
    (void)object, (void)keyval, (void)extra, (void)value, (void)copied;
    *flag = 0;
    return attribute();
}

static int query(void *extra, void *status)
{
    (void)extra;
    uint64_t words[4] = {(uint64_t)(int64_t)tb_abi.undefined, (uint64_t)(int64_t)tb_abi.undefined, 0, 0};
    rp_status_write(status, words);
    return 0;
}

static int extent(uintptr_t type, int64_t *bytes, void *extra)
{
    typedef int get_extent(uintptr_t, int64_t *, int64_t *);
    get_extent *get = (get_extent *)rp_library_function("PMPI_Type_get_extent");
    int64_t low;
    (void)extra;
    *bytes = 1;
    return get ? get(type, &low, bytes) : 0;
}

void *rp_callback(uint64_t kind)
{
    switch (kind) {
    case RP_CALLBACK_NONE: return NULL;
    case RP_CALLBACK_COPY: return (void *)copy;
    case RP_CALLBACK_NO_COPY: return (void *)no_copy;
    case RP_CALLBACK_DELETE: return (void *)attribute;
    case RP_CALLBACK_GREQUEST_QUERY: return (void *)query;
    case RP_CALLBACK_DATAREP_EXTENT: return (void *)extent;
    default: return (void *)nothing;
    }
}
