// Exceptions through functions that are seen, destructors, virtual calls, lambdas, templates.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
#define N __attribute__((noinline))

struct Noise {
    int n;
    N explicit Noise(int n) : n(n) {}
    N ~Noise() { std::printf("~%d ", n); }
};
N void thrower(int n)
{
    Noise noise(n);
    if (n == 0) throw std::runtime_error("bottom");
    thrower(n - 1);
}
N int catcher(int n)
{
    try {
        Noise noise(100 + n);
        thrower(n);
    } catch (const std::exception &e) {
        std::printf("%s ", e.what());
        return n;
    }
    return -1;
}
N void rethrower(int n)
{
    try {
        thrower(n);
    } catch (...) {
        Noise noise(200 + n);
        throw;
    }
}
N int translated(int n)
{
    try {
        try {
            rethrower(n);
        } catch (const std::runtime_error &) {
            throw std::string("other");
        }
    } catch (const std::string &s) {
        return (int)s.size();
    }
    return -1;
}
struct Shape {
    virtual ~Shape() {}
    virtual double area() const = 0;
};
struct Square : Shape {
    double a;
    explicit Square(double a) : a(a) {}
    N double area() const override { return a * a; }
};
struct Circle : Shape {
    double r;
    explicit Circle(double r) : r(r) {}
    N double area() const override { if (r < 0) throw -1; return r * r * 3; }
};
N double total(const std::vector<std::unique_ptr<Shape>> &v)
{
    double s = 0;
    for (auto &p : v) s += p->area();
    return s;
}
template <typename T> N T twice(T x) { return x + x; }
N int quiet(int n) noexcept
{
    try {
        if (n & 1) thrower(1);
        return 0;
    } catch (...) {
        return 1;
    }
}
int main()
{
    std::vector<std::unique_ptr<Shape>> v;
    for (int i = 0; i < 4; i++) std::printf("%d %d %d\n", catcher(i), translated(i), quiet(i));
    v.emplace_back(new Square(2));
    v.emplace_back(new Circle(1));
    std::printf("%g %d %s\n", total(v), twice(4), twice(std::string("ab")).c_str());
    v.emplace_back(new Circle(-1));
    try { total(v); } catch (int i) { std::printf("%d\n", i); }
    std::vector<int> w = {4, 2, 8, 1};
    std::function<bool(int, int)> less = [](int a, int b) { return a < b; };
    std::sort(w.begin(), w.end(), less);
    std::printf("%d\n", w[0]);
    return 3;
}
