/* Which kind of MPI library this is, and so how its values look. Also part of the replay executor:
 * what it needs of library.h is tb_library_symbol, tb_library_variable and tb_library_address. */
#include "mpi/library.h"
#include "mpi/gen/wrap.h"

struct tb_abi tb_abi = {.done = 1};

typedef int version_function(int *, int *);

/* A library built for its own ABI may export the function too; it then reports -1. */
static int has_standard_abi(void)
{
    int major = -1, minor = -1;
    version_function *f = (version_function *)tb_library_symbol("PMPI_Abi_get_version");
    return f && f(&major, &minor) == 0 && major >= 1;
}

static uint64_t symbol_address(const char *name) { return (uint64_t)(uintptr_t)tb_library_variable(name); }

static uint64_t symbol_value(const char *name)
{
    void **p = tb_library_variable(name);
    return p ? (uint64_t)(uintptr_t)*p : 0;
}

void tb_abi_detect(void)
{
    if (!tb_library_address()) return;
    int kind = has_standard_abi() ? 3 : symbol_address("ompi_mpi_comm_world") ? 1 : 2; /* MPICH and its ABI family */
    struct tb_abi a = tb_abis[kind];
    a.done = 1; /* none */
    if (kind == 1) {
        uint64_t done = symbol_address("ompi_request_empty");
        if (done) a.done_mask = UINT64_MAX, a.done = done;
        a.comm_null = symbol_address("ompi_mpi_comm_null");
        a.request_null = symbol_address("ompi_request_null");
    } else if (kind == 2) {
        a.done_mask = 0xfc000000, a.done = 0x6c000000; /* requests that MPICH has from its beginning */
        a.unweighted = symbol_value("MPI_UNWEIGHTED");
        a.weights_empty = symbol_value("MPI_WEIGHTS_EMPTY");
    }
    tb_abi = a;
}
