// Functions of a program that switches tracing off and on, in functions that are open, at the beginning or the end of
// others, and in recursion. Each rank writes to the file calls.RANK what is called while tracing is on, with how many
// such calls it is in.
#include <mpi.h>
#include <stdio.h>

#define FAR __attribute__((noinline, noclone))
#define QUIET static inline __attribute__((always_inline, no_instrument_function))

static FILE *out;
static int on = 1, depth;

QUIET int begin(const char *name)
{
    if (!on) return 0;
    fprintf(out, "%s %d\n", name, depth++);
    return 1;
}
QUIET void end(int begun) { depth -= begun; }
QUIET void switch_to(int to)
{
    MPI_Pcontrol(to);
    on = to;
}

FAR int leaf(int n)
{
    int b = begin("leaf");
    end(b);
    return n + depth;
}

FAR int twice(int n)
{
    int b = begin("twice"), sum = leaf(n) + leaf(n + 1);
    end(b);
    return sum;
}

FAR int off(int n) // ends while tracing is off
{
    int b = begin("off"), sum = twice(n);
    switch_to(0);
    sum += twice(n);
    end(b);
    return sum;
}

FAR int back(int n) // ends while tracing is on, and is not known
{
    int b = begin("back"), sum = twice(n);
    switch_to(1);
    sum += twice(n);
    end(b);
    return sum;
}

FAR int recursive(int n) // off from 3 to 6 and from 8 on; on again where it returns from 8
{
    int b = begin("recursive"), sum = leaf(n);
    if (n == 3 || n == 8) switch_to(0);
    if (n == 6) switch_to(1);
    if (n < 11) sum += recursive(n + 1);
    if (n == 8) switch_to(1);
    sum += leaf(n);
    end(b);
    return sum;
}

int main(int argc, char **argv)
{
    int rank, sum = 0;
    char name[32];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "calls.%d", rank);
    out = fopen(name, "w");
    depth = 1; // main
    for (int i = 0; i < 50; i++) {
        sum += off(i) + back(i) + recursive(i % 4);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    fclose(out);
    MPI_Finalize();
    return sum == 0;
}
