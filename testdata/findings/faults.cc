// A C++ program with one planted fault, or none: see faults.c.
#include <mpi.h>
#include <unistd.h>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

class Solver {
public:
    explicit Solver(std::string fault) : fault_(std::move(fault)), halo_(64)
    {
        MPI_Comm_rank(MPI_COMM_WORLD, &me_);
        MPI_Comm_size(MPI_COMM_WORLD, &np_);
    }

    void step(int now)
    {
        usleep(fault_ == "slow" && me_ == 1 ? 9000 : 2000);
        if (fault_ == "throw" && me_ == 2 && now == 11) throw std::runtime_error("planted");
        if (fault_.rfind("early-wait", 0) == 0) ahead(now); else exchange();
        reduce(now);
    }

private:
    void exchange()
    {
        MPI_Datatype column;
        MPI_Type_vector(8, 1, 8, MPI_DOUBLE, &column);  // type-leak
        MPI_Type_commit(&column);
        std::vector<double> in(64);
        MPI_Sendrecv(halo_.data(), 1, column, (me_ + 1) % np_, 1, in.data(), 1, column, (me_ + np_ - 1) % np_, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        if (fault_ != "type-leak") MPI_Type_free(&column);
    }

    void ahead(int now)
    {
        const bool first = (me_ + now) % 2, early = fault_ == "early-wait";
        std::vector<double> in(64);
        MPI_Request q[2];
        usleep(first ? 1000 : 8000);
        MPI_Irecv(in.data(), 64, MPI_DOUBLE, me_ ^ 1, 2, MPI_COMM_WORLD, &q[0]);
        MPI_Isend(halo_.data(), 64, MPI_DOUBLE, me_ ^ 1, 2, MPI_COMM_WORLD, &q[1]);
        for (int i = 0; early && i < 2; i++) MPI_Wait(&q[i], MPI_STATUS_IGNORE);  // early-wait
        usleep(first ? 8000 : 1000);
        for (int i = 0; !early && i < 2; i++) MPI_Wait(&q[i], MPI_STATUS_IGNORE);
    }

    void reduce(int now)
    {
        double x = now, y;
        if (fault_ == "missing" && me_ == 3 && now == 8) MPI_Barrier(MPI_COMM_WORLD);  // instead
        MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);  // slow throw
    }

    std::string fault_;
    std::vector<double> halo_;
    int me_ = 0, np_ = 1;
};

}  // namespace

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    Solver solver(argc > 1 ? argv[1] : "none");
    if (argc > 2) alarm(std::stoi(argv[2]));
    for (int i = 0; i < 40; i++) solver.step(i);
    MPI_Finalize();
    return 0;
}
