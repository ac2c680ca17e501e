/* The methods of PyTorch's process groups, by their names in C++. The classes have them as virtual functions, and tables
 * of such in a shared library are filled by names: ours come before those of libtorch. So calls from Python, from
 * DistributedDataParallel's reducer and from compiled programs are all seen. The names are those of PyTorch 1.13 to 2.15;
 * those that a version does not have are never asked for. */
#include "core/call.h"
#include "core/core.h"
#include "core/ids.h"
#include "torch/torch.h"

#ifdef TB_TORCH

#define CALLER __builtin_return_address(0), TB_FRAME()
/* A function of ours under a name of C++. */
#define UNDER(symbol) __asm__(symbol) TB_EXPORT __attribute__((used))

/* ---- Names as the compiler writes them ---- */

#define LIST "RSt6vectorIN2at6TensorESaIS3_EE"
#define LISTS "RSt6vectorIS1_IN2at6TensorESaIS3_EESaIS5_EE"
#define LISTS_AGAIN "RS1_IS5_SaIS5_EE" /* after a list */
#define TENSORS "RN2at6TensorES3_"      /* two of them */
#define SPLITS "RSt6vectorIlSaIlEES7_"
#define DURATION "NSt6chrono8durationIlSt5ratioILl1ELl1000EEEE"
#define STORE "N3c1013intrusive_ptrINS_5StoreENS1_6detail34intrusive_target_default_null_typeIS3_EEEE"
#define STRING_11 "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
#define STORE_AFTER_STRING_11 "N3c1013intrusive_ptrINS_5StoreENS7_6detail34intrusive_target_default_null_typeIS9_EEEE"

/* ---- Methods: name and parameters, function, form, which argument the options are, what they say ---- */

#define METHODS(F, class)                                                                                               \
    F(class, 0, "9allreduceE" LIST "RKNS_16AllreduceOptionsE", all_reduce, FIRST, 2, OP)                                \
    F(class, 1, "19allreduce_coalescedE" LIST "RKNS_25AllreduceCoalescedOptionsE", all_reduce, FIRST, 2, OP)            \
    F(class, 2, "16allreduce_sparseE" LIST "RKNS_16AllreduceOptionsE", all_reduce, FIRST, 2, OP)                        \
    F(class, 3, "9broadcastE" LIST "RKNS_16BroadcastOptionsE", broadcast, FIRST, 2, ROOT)                               \
    F(class, 4, "6reduceE" LIST "RKNS_13ReduceOptionsE", reduce, FIRST, 2, OP_AND_ROOT)                                 \
    F(class, 5, "9allgatherE" LISTS "RS5_RKNS_16AllgatherOptionsE", all_gather, SECOND, 3, NONE)                        \
    F(class, 6, "19allgather_coalescedE" LISTS "RS5_RKNS_16AllgatherOptionsE", all_gather, SECOND, 3, NONE)             \
    F(class, 7, "15_allgather_baseE" TENSORS "RKNS_16AllgatherOptionsE", all_gather, SECOND_TENSOR, 3, NONE)            \
    F(class, 8, "17all_gather_singleE" TENSORS "RKNS_16AllgatherOptionsE", all_gather, SECOND_TENSOR, 3, NONE)          \
    F(class, 9, "31allgather_into_tensor_coalescedE" LIST "S6_RKNS_16AllgatherOptionsE", all_gather, SECOND, 3, NONE)   \
    F(class, 10, "27all_gather_single_coalescedE" LIST "S6_RKNS_16AllgatherOptionsE", all_gather, SECOND, 3, NONE)      \
    F(class, 11, "6gatherE" LISTS "RS5_RKNS_13GatherOptionsE", gather, SECOND, 3, ROOT)                                 \
    F(class, 12, "13gather_singleE" TENSORS "RKNS_13GatherOptionsE", gather, SECOND_TENSOR, 3, ROOT)                    \
    F(class, 13, "7scatterE" LIST LISTS_AGAIN "RKNS_14ScatterOptionsE", scatter, FIRST, 3, ROOT)                        \
    F(class, 14, "14reduce_scatterE" LIST LISTS_AGAIN "RKNS_20ReduceScatterOptionsE", reduce_scatter, FIRST, 3, OP)     \
    F(class, 15, "20_reduce_scatter_baseE" TENSORS "RKNS_20ReduceScatterOptionsE", reduce_scatter, TENSOR, 3, OP)       \
    F(class, 16, "21reduce_scatter_singleE" TENSORS "RKNS_20ReduceScatterOptionsE", reduce_scatter, TENSOR, 3, OP)      \
    F(class, 17, "31reduce_scatter_tensor_coalescedE" LIST "S6_RKNS_20ReduceScatterOptionsE", reduce_scatter, FIRST, 3, \
      OP)                                                                                                               \
    F(class, 18, "31reduce_scatter_single_coalescedE" LIST "S6_RKNS_20ReduceScatterOptionsE", reduce_scatter, FIRST, 3, \
      OP)                                                                                                               \
    F(class, 19, "8alltoallE" LIST "S6_RKNS_15AllToAllOptionsE", all_to_all, EXCHANGE, 3, NONE)                         \
    F(class, 20, "13alltoall_baseE" TENSORS SPLITS "RKNS_15AllToAllOptionsE", all_to_all, SPLIT, 5, NONE)               \
    F(class, 21, "17all_to_all_singleE" TENSORS SPLITS "RKNS_15AllToAllOptionsE", all_to_all, SPLIT, 5, NONE)           \
    F(class, 22, "4sendE" LIST "ii", send, PEER, 0, NONE)                                                               \
    F(class, 23, "4recvE" LIST "ii", recv, PEER, 0, NONE)                                                               \
    F(class, 24, "13recvAnysourceE" LIST "i", recv, ANY, 0, NONE)                                                       \
    F(class, 25, "7barrierERKNS_14BarrierOptionsE", barrier, NOTHING, 1, NONE)                                          \
    F(class, 26, "14_broadcast_oopE" TENSORS "RKNS_16BroadcastOptionsE", broadcast, SECOND_TENSOR, 3, ROOT)             \
    F(class, 27, "11_reduce_oopE" TENSORS "RKNS_13ReduceOptionsE", reduce, SECOND_TENSOR, 3, OP_AND_ROOT)

/* A method that gives a work: its place is the first argument, and what is returned. */
#define METHOD(class, number, name, function, form, options, values)                                                \
    uintptr_t tb_torch_##class##_##number(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t)  \
        UNDER(PREFIX_##class name);                                                                                     \
    uintptr_t tb_torch_##class##_##number(uintptr_t result, uintptr_t self, uintptr_t a, uintptr_t b, uintptr_t c,      \
                                          uintptr_t d, uintptr_t e)                                                     \
    {                                                                                                                   \
        static void *found;                                                                                             \
        static const struct tb_torch_method m = {PREFIX_##class name, TB_ID_torch_##function, TB_TORCH_##form, options, \
                                                 TB_TORCH_##values};                                                    \
        struct tb_torch_arguments x = {result, self, {a, b, c, d, e}};                                                  \
        return tb_torch_call(&m, tb_torch_behind(m.symbol, &found), &x, CALLER);                                        \
    }

/* One that is made with a store, the rank and how many there are; and one that goes. */
#define LIVES(class, backend, number, name)                                                                             \
    void tb_torch_made_##class##_##number(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t)                        \
        UNDER(PREFIX_##class name);                                                                                     \
    void tb_torch_made_##class##_##number(uintptr_t self, uintptr_t store, uintptr_t rank, uintptr_t size,              \
                                          uintptr_t options)                                                            \
    {                                                                                                                   \
        static void *found;                                                                                             \
        struct tb_torch_arguments x = {self, store, {rank, size, options}};                                             \
        tb_torch_init(backend, tb_torch_behind(PREFIX_##class name, &found), &x, CALLER);                               \
    }
#define DIES(class)                                                                                                     \
    void tb_torch_gone_##class(uintptr_t) UNDER(PREFIX_##class "D0Ev");                                                 \
    void tb_torch_gone_##class(uintptr_t self)                                                                          \
    {                                                                                                                   \
        static void *found;                                                                                             \
        tb_torch_destroy((void (*)(uintptr_t))tb_torch_behind(PREFIX_##class "D0Ev", &found), self, CALLER);            \
    }

#define PREFIX_gloo "_ZN4c10d16ProcessGroupGloo"
#define PREFIX_nccl "_ZN4c10d16ProcessGroupNCCL"
#define PREFIX_mpi "_ZN4c10d15ProcessGroupMPI"
#define PREFIX_ucc "_ZN4c10d15ProcessGroupUCC"
#define PREFIX_xccl "_ZN4c10d16ProcessGroupXCCL"

METHODS(METHOD, gloo)
METHODS(METHOD, nccl)
METHODS(METHOD, mpi)
METHODS(METHOD, ucc)
METHODS(METHOD, xccl)

LIVES(gloo, "gloo", 1, "C1ERK" STORE "iiNS2_INS0_7OptionsENS5_ISA_EEEE")
LIVES(gloo, "gloo", 2, "C2ERK" STORE "iiNS2_INS0_7OptionsENS5_ISA_EEEE")
LIVES(nccl, "nccl", 1, "C1E" STORE "iiNS2_INS0_7OptionsENS5_IS8_EEEE")
LIVES(nccl, "nccl", 2, "C1ERK" STORE "iiNS2_INS0_7OptionsENS5_ISA_EEEE")
LIVES(ucc, "ucc", 1, "C1ERK" STORE "iiNSt6chrono8durationIlSt5ratioILl1ELl1000EEEE")
LIVES(xccl, "xccl", 1, "C1E" STORE "iiNS2_INS0_7OptionsENS5_IS8_EEEE")
LIVES(xccl, "xccl", 2, "C1ERK" STORE "iiNS2_INS0_7OptionsENS5_ISA_EEEE")
DIES(gloo)
DIES(nccl)
DIES(mpi)
DIES(ucc)
DIES(xccl)

/* The one method that gives no work. */
void tb_torch_monitored(uintptr_t, uintptr_t, uintptr_t)
    UNDER("_ZN4c10d16ProcessGroupGloo16monitoredBarrierERKNS_14BarrierOptionsEb");
void tb_torch_monitored(uintptr_t self, uintptr_t options, uintptr_t all)
{
    static void *found;
    static const struct tb_torch_method m = {"_ZN4c10d16ProcessGroupGloo16monitoredBarrierERKNS_14BarrierOptionsEb",
                                             TB_ID_torch_monitored_barrier, TB_TORCH_NOTHING, 0, TB_TORCH_NONE};
    /* It has no place for a result: the object comes first. */
    struct tb_torch_arguments x = {0, self, {options, all}};
    tb_torch_call(&m, tb_torch_behind(m.symbol, &found), &x, CALLER);
}

/* ---- Works ---- */

#define WAITS(number, name)                                                                                             \
    uintptr_t tb_torch_waits_##number(uintptr_t, uintptr_t) UNDER(name "4waitE" DURATION);                              \
    uintptr_t tb_torch_waits_##number(uintptr_t work, uintptr_t timeout)                                                \
    {                                                                                                                   \
        static void *found;                                                                                             \
        return tb_torch_wait(tb_torch_behind(name "4waitE" DURATION, &found), work, timeout, CALLER);                   \
    }
WAITS(0, "_ZN4c10d4Work")
WAITS(1, "_ZN4c10d16ProcessGroupGloo8SendWork")
WAITS(2, "_ZN4c10d16ProcessGroupGloo8RecvWork")
WAITS(3, "_ZN4c10d16ProcessGroupNCCL8WorkNCCL")
WAITS(4, "_ZN4c10d15ProcessGroupMPI9AsyncWork")
WAITS(5, "_ZN4c10d16ProcessGroupXCCL8WorkXCCL")

/* The future of a work is waited for without the work. */
#define FUTURE(number, name)                                                                                            \
    uintptr_t tb_torch_future_##number(uintptr_t, uintptr_t) UNDER(name "9getFutureEv");                                \
    uintptr_t tb_torch_future_##number(uintptr_t result, uintptr_t work)                                                \
    {                                                                                                                   \
        static void *found;                                                                                             \
        tb_torch_function *real = tb_torch_behind(name "9getFutureEv", &found);                                         \
        tb_torch_pending(work);                                                                                         \
        return real(result, work, 0, 0, 0, 0, 0);                                                                       \
    }
FUTURE(0, "_ZN4c10d16ProcessGroupGloo9AsyncWork")
FUTURE(1, "_ZN4c10d16ProcessGroupNCCL8WorkNCCL")
FUTURE(2, "_ZN4c10d15ProcessGroupMPI9AsyncWork")
FUTURE(3, "_ZN4c10d16ProcessGroupXCCL8WorkXCCL")

/* DistributedDataParallel waits for all that its reducer has begun. */
#define FINALIZE "_ZN4c10d7Reducer17finalize_backwardEv"
void tb_torch_finalize(uintptr_t) UNDER(FINALIZE);
void tb_torch_finalize(uintptr_t reducer)
{
    static void *found;
    tb_torch_wait_all((void (*)(uintptr_t))tb_torch_behind(FINALIZE, &found), reducer, CALLER);
}

/* ---- Stores ---- */

/* Strings are passed by address. They begin with the address of the text, which is followed by its length, and with
 * the older library lies before the text. */
#define PREFIXED(number, name, length)                                                                                  \
    void tb_torch_prefixed_##number(uintptr_t, uintptr_t, uintptr_t) UNDER(name);                                       \
    void tb_torch_prefixed_##number(uintptr_t self, uintptr_t prefix, uintptr_t store)                                  \
    {                                                                                                                   \
        static void *found;                                                                                             \
        void (*real)(uintptr_t, uintptr_t, uintptr_t) = tb_torch_behind(name, &found);                                  \
        const char *text = *(char *const *)prefix;                                                                      \
        tb_torch_store(self, text, length, *(const uintptr_t *)store);                                                  \
        real(self, prefix, store);                                                                                      \
    }
PREFIXED(1, "_ZN4c10d11PrefixStoreC1E" STRING_11 STORE_AFTER_STRING_11, ((const size_t *)prefix)[1])
PREFIXED(2, "_ZN4c10d11PrefixStoreC1ESs" STORE, ((const size_t *)(const void *)text)[-3])

#endif

const struct tb_api tb_api_torch = {.module_kind = NULL};
