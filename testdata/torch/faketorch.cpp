/* A stand-in for libtorch_cpu.so: processes of one machine that meet in a file, which FAKE_TORCH names. A work is done when
 * all members of its group have come as far: one that does not come makes the others hang, as it does with Gloo. Only
 * allreduce of one tensor computes something. */
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <map>
#include <sys/mman.h>
#include <unistd.h>
#include "torch.h"

namespace c10d {
enum { MEMBERS = 16, WORDS = 256 };
struct Meeting {
    volatile uint64_t came[MEMBERS], sent[MEMBERS][MEMBERS], got[MEMBERS][MEMBERS];
    float given[2][MEMBERS][WORDS];
};

static void wait_until(volatile uint64_t *at, uint64_t value) { while (*at < value) usleep(200); }

/* A file for each prefix. */
static Meeting *meet(const std::string &prefix)
{
    std::string name = getenv("FAKE_TORCH");
    for (char c : prefix) name += c == '/' ? '_' : c;
    int fd = open(name.c_str(), O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, sizeof(Meeting)) != 0) abort();
    void *p = mmap(nullptr, sizeof(Meeting), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return static_cast<Meeting *>(p);
}

PrefixStore::PrefixStore(std::string p, Ptr<Store> on) : prefix(p)
{
    if (auto *other = dynamic_cast<PrefixStore *>(on.target)) prefix = other->prefix + "/" + p;
}

static void all_come(ProcessGroupGloo *g, uint64_t number)
{
    for (int i = 0; i < g->size; i++) wait_until(&g->meeting->came[i], number);
}

bool Work::wait(milliseconds)
{
    if (group) all_come(group, number);
    for (size_t i = 0; sum && i < sum->size() && i < WORDS; i++) {
        (*sum)[i] = 0;
        for (int r = 0; r < group->size; r++) (*sum)[i] += group->meeting->given[number % 2][r][i];
    }
    return true;
}
Ptr<c10::ivalue::Future> Work::getFuture() { return nullptr; }
Ptr<c10::ivalue::Future> ProcessGroupGloo::AsyncWork::getFuture() { return new c10::ivalue::Future; }
bool ProcessGroupGloo::RecvWork::wait(milliseconds)
{
    wait_until(&group->meeting->sent[source][group->rank], group->meeting->got[source][group->rank]);
    return true;
}

ProcessGroupGloo::ProcessGroupGloo(const Ptr<Store> &store, int rank, int size, Ptr<Options>)
    : Backend(rank, size), meeting(meet(static_cast<PrefixStore *>(store.target)->prefix))
{
    collective()->wait(milliseconds(0));
}

Ptr<Work> ProcessGroupGloo::collective()
{
    AsyncWork *w = new AsyncWork;
    w->group = this;
    w->number = ++came;
    __atomic_store_n(&meeting->came[rank], came, __ATOMIC_RELEASE);
    return Ptr<Work>(w);
}

Ptr<Work> ProcessGroupGloo::allreduce(Tensors &tensors, const AllreduceOptions &)
{
    std::vector<float> &data = tensors[0].impl->data;
    for (size_t i = 0; i < data.size() && i < WORDS; i++) meeting->given[(came + 1) % 2][rank][i] = data[i];
    Ptr<Work> w = collective();
    w->sum = &data;
    return w;
}
Ptr<Work> ProcessGroupGloo::broadcast(Tensors &, const BroadcastOptions &) { return collective(); }
Ptr<Work> ProcessGroupGloo::reduce(Tensors &, const ReduceOptions &) { return collective(); }
Ptr<Work> ProcessGroupGloo::allgather(std::vector<Tensors> &, Tensors &, const AllgatherOptions &) { return collective(); }
Ptr<Work> ProcessGroupGloo::_allgather_base(at::Tensor &out, at::Tensor &in, const AllgatherOptions &options)
{
    std::vector<Tensors> parts(1, Tensors(1, out));
    Tensors given(1, in);
    return allgather(parts, given, options);
}
Ptr<Work> ProcessGroupGloo::gather(std::vector<Tensors> &, Tensors &, const GatherOptions &) { return collective(); }
Ptr<Work> ProcessGroupGloo::scatter(Tensors &, std::vector<Tensors> &, const ScatterOptions &) { return collective(); }
Ptr<Work> ProcessGroupGloo::reduce_scatter(Tensors &, std::vector<Tensors> &, const ReduceScatterOptions &)
{
    return collective();
}
Ptr<Work> ProcessGroupGloo::_reduce_scatter_base(at::Tensor &, at::Tensor &, const ReduceScatterOptions &)
{
    return collective();
}
Ptr<Work> ProcessGroupGloo::alltoall(Tensors &, Tensors &, const AllToAllOptions &) { return collective(); }
Ptr<Work> ProcessGroupGloo::alltoall_base(at::Tensor &, at::Tensor &, std::vector<int64_t> &, std::vector<int64_t> &,
                                          const AllToAllOptions &)
{
    return collective();
}
Ptr<Work> ProcessGroupGloo::send(Tensors &, int to, int)
{
    meeting->sent[rank][to]++;
    return Ptr<Work>(new Work);
}
Ptr<Work> ProcessGroupGloo::recv(Tensors &, int from, int)
{
    RecvWork *w = new RecvWork;
    w->group = this;
    w->source = from;
    meeting->got[from][rank]++;
    return Ptr<Work>(w);
}
Ptr<Work> ProcessGroupGloo::barrier(const BarrierOptions &) { return collective(); }
void ProcessGroupGloo::monitoredBarrier(const BarrierOptions &, bool) { collective()->wait(milliseconds(0)); }

void Reducer::finalize_backward()
{
    for (auto &w : begun) all_come(w->group, w->number);
    begun.clear();
}
}

at::Tensor at::ones(std::vector<int64_t> sizes)
{
    int64_t n = 1;
    for (int64_t s : sizes) n *= s;
    Tensor t{new TensorImpl};
    t.impl->sizes = sizes;
    t.impl->data.assign((size_t)n, 1);
    return t;
}

/* The functions in C that compiled models call. */
extern "C" {
int32_t aoti_torch_get_dim(at::Tensor *t, int64_t *n) { *n = (int64_t)t->impl->sizes.size(); return 0; }
int32_t aoti_torch_get_sizes(at::Tensor *t, int64_t **sizes) { *sizes = t->impl->sizes.data(); return 0; }
int32_t aoti_torch_get_dtype(at::Tensor *t, int32_t *type) { *type = t->impl->type; return 0; }
}
