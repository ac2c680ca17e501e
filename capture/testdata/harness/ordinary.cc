// An ordinary program: containers, exceptions, threads, failing allocations.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static long work(unsigned seed)
{
    std::map<std::string, std::vector<int>> m;
    long sum = 0;
    for (unsigned i = 0; i < 20000; i++) {
        seed = seed * 1103515245 + 12345;
        auto &v = m["key" + std::to_string(seed >> 16 & 255)];
        v.push_back(static_cast<int>(seed >> 20));
        if (v.size() > 100) v.clear(), v.shrink_to_fit();
        try {
            if (i % 1000 == 0) throw std::runtime_error("at " + std::to_string(i));
        } catch (const std::exception &e) {
            sum += e.what()[3];
        }
    }
    for (auto &[k, v] : m) std::sort(v.begin(), v.end()), sum += v.empty() ? 0 : v[0] + static_cast<long>(k.size());
    return sum;
}

int main()
{
    std::vector<std::thread> threads;
    std::vector<long> sums(4);
    for (unsigned i = 0; i < 4; i++) threads.emplace_back([&, i] { sums[i] = work(i); });
    for (auto &t : threads) t.join();
    for (long s : sums) std::printf("%ld\n", s);
    try {
        volatile size_t huge = static_cast<size_t>(1) << 62;
        std::unique_ptr<char[]> p(new char[huge]);
    } catch (const std::bad_alloc &e) {
        std::printf("%s\n", e.what());
    }
    struct alignas(256) wide { char c[256]; };
    auto w = std::make_unique<wide[]>(3);
    std::printf("%d\n", static_cast<int>(reinterpret_cast<uintptr_t>(w.get()) % 256));
    return 3;
}
