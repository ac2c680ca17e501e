/* What the stand-in has of PyTorch's classes: as much as its tests need, under the same names, with the same parameters. */
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace c10 {
struct intrusive_ptr_target {
    virtual ~intrusive_ptr_target() = default;
    uint64_t counts = 0; /* both in one word, as from PyTorch 2.10 on */
};
namespace detail {
template <class T> struct intrusive_target_default_null_type {};
}
template <class T, class Null = detail::intrusive_target_default_null_type<T>> struct intrusive_ptr {
    T *target = nullptr;
    intrusive_ptr(T *t = nullptr) : target(t) { count(1); }
    intrusive_ptr(const intrusive_ptr &o) : target(o.target) { count(1); }
    intrusive_ptr &operator=(const intrusive_ptr &) = delete;
    ~intrusive_ptr() { if (target && count(-1) == 0) delete target; }
    T *operator->() const { return target; }
    uint64_t count(int by) { return target ? target->counts += (uint64_t)by : 0; }
};
namespace ivalue { struct Future : intrusive_ptr_target {}; }
}

namespace at {
struct TensorImpl : c10::intrusive_ptr_target {
    std::vector<int64_t> sizes;
    int32_t type = 6; /* float32 */
    std::vector<float> data;
};
struct Tensor { c10::intrusive_ptr<TensorImpl> impl; };
Tensor ones(std::vector<int64_t> sizes);
}

namespace c10d {
using std::chrono::milliseconds;
template <class T> using Ptr = c10::intrusive_ptr<T>;
using Tensors = std::vector<at::Tensor>;

struct ReduceOp : c10::intrusive_ptr_target { uint8_t op = 0; void *supplement = nullptr; };
struct AllreduceOptions { ReduceOp reduceOp; milliseconds timeout{-1}; };
struct BroadcastOptions { int64_t rootRank = 0, rootTensor = 0; milliseconds timeout{-1}; };
struct ReduceOptions { ReduceOp reduceOp; int64_t rootRank = 0, rootTensor = 0; };
struct AllgatherOptions { milliseconds timeout{-1}; };
struct GatherOptions { int64_t rootRank = 0; };
struct ScatterOptions { int64_t rootRank = 0; };
struct ReduceScatterOptions { ReduceOp reduceOp; };
struct AllToAllOptions { milliseconds timeout{-1}; };
struct BarrierOptions { std::vector<int64_t> device_ids; };

struct Store : c10::intrusive_ptr_target { milliseconds timeout{0}; };
struct PrefixStore : Store {
    std::string prefix;
    PrefixStore(std::string prefix, Ptr<Store> store);
};

struct Work : c10::intrusive_ptr_target {
    virtual bool wait(milliseconds timeout);
    virtual Ptr<c10::ivalue::Future> getFuture();
    class ProcessGroupGloo *group = nullptr;
    uint64_t number = 0;
    std::vector<float> *sum = nullptr;
};
struct Backend : c10::intrusive_ptr_target {
    int rank, size;
    Backend(int r, int n) : rank(r), size(n) {}
};
class ProcessGroupGloo : public Backend {
public:
    struct Options : c10::intrusive_ptr_target {};
    struct AsyncWork : Work { Ptr<c10::ivalue::Future> getFuture() override; };
    struct RecvWork : Work { bool wait(milliseconds timeout) override; int source = 0; };
    ProcessGroupGloo(const Ptr<Store> &store, int rank, int size, Ptr<Options> options);
    virtual Ptr<Work> allreduce(Tensors &tensors, const AllreduceOptions &options);
    virtual Ptr<Work> broadcast(Tensors &tensors, const BroadcastOptions &options);
    virtual Ptr<Work> reduce(Tensors &tensors, const ReduceOptions &options);
    virtual Ptr<Work> allgather(std::vector<Tensors> &out, Tensors &in, const AllgatherOptions &options);
    virtual Ptr<Work> _allgather_base(at::Tensor &out, at::Tensor &in, const AllgatherOptions &options);
    virtual Ptr<Work> gather(std::vector<Tensors> &out, Tensors &in, const GatherOptions &options);
    virtual Ptr<Work> scatter(Tensors &out, std::vector<Tensors> &in, const ScatterOptions &options);
    virtual Ptr<Work> reduce_scatter(Tensors &out, std::vector<Tensors> &in, const ReduceScatterOptions &options);
    virtual Ptr<Work> _reduce_scatter_base(at::Tensor &out, at::Tensor &in, const ReduceScatterOptions &options);
    virtual Ptr<Work> alltoall(Tensors &out, Tensors &in, const AllToAllOptions &options);
    virtual Ptr<Work> alltoall_base(at::Tensor &out, at::Tensor &in, std::vector<int64_t> &out_split,
                                    std::vector<int64_t> &in_split, const AllToAllOptions &options);
    virtual Ptr<Work> send(Tensors &tensors, int to, int tag);
    virtual Ptr<Work> recv(Tensors &tensors, int from, int tag);
    virtual Ptr<Work> barrier(const BarrierOptions &options);
    virtual void monitoredBarrier(const BarrierOptions &options, bool all);
    struct Meeting *meeting;
    uint64_t came = 0;
private:
    Ptr<Work> collective();
};

/* What DistributedDataParallel has. */
class Reducer {
public:
    std::vector<Ptr<Work>> begun;
    void finalize_backward();
};
}
