//go:build ignore

/* The APIs that are traced. */
#include "core/api.h"
#include "cuda/cuda.h"
#include "functions/library.h"
#include "mpi/library.h"
#include "nccl/nccl.h"
#include "openmp/openmp.h"
#include "posixio/library.h"
#include "python/python.h"
#include "regions/regions.h"
#include "threads/threads.h"
#include "torch/torch.h"

const struct tb_api *const tb_apis[] = {&tb_mpi, &tb_nccl, &tb_posixio, &tb_openmp, &tb_region_api, &tb_function_api,
                                       &tb_python_api, &tb_thread_waits, &tb_cuda,
                                       &tb_torch_api, NULL};
