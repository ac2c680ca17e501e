//go:build ignore

/* The APIs that are traced. */
#include "core/api.h"
#include "mpi/library.h"
#include "nccl/nccl.h"

const struct tb_api *const tb_apis[] = {&tb_mpi, &tb_nccl, NULL};
