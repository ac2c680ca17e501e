/* Topology queries: Cartesian, graph, their sub-communicators and maps. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int dims[2] = {0, 0}, periods[2] = {1, 0}, coords[2], kind, n, r, p[2], d[2], keep[2] = {0, 1};
    MPI_Comm grid, row, graph, two;
    MPI_Topo_test(MPI_COMM_WORLD, &kind);
    CHECK(kind == MPI_UNDEFINED);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Topo_test(grid, &kind);
    MPI_Cartdim_get(grid, &n);
    MPI_Cart_get(grid, 2, d, p, coords);
    CHECK(kind == MPI_CART && n == 2 && d[0] == dims[0] && p[0] == 1);
    MPI_Cart_rank(grid, coords, &r);
    MPI_Cart_coords(grid, r, 2, d);
    CHECK(r == rank && d[0] == coords[0] && d[1] == coords[1]);
    MPI_Cart_sub(grid, keep, &row);
    MPI_Comm_size(row, &n);
    CHECK(n == dims[1]);
    MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, &r);
    MPI_Comm_free(&row);
    MPI_Comm_free(&grid);

    /* A grid smaller than the communicator leaves ranks out. */
    MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){2}, (int[]){0}, 0, &two);
    CHECK((two == MPI_COMM_NULL) == (rank >= 2));
    if (two != MPI_COMM_NULL) MPI_Comm_free(&two);

    int index[16], edges[16], back[16], nodes, nedges, neighbours;
    for (int i = 0; i < size; i++) index[i] = i + 1, edges[i] = (i + 1) % size;
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &graph);
    MPI_Graphdims_get(graph, &nodes, &nedges);
    CHECK(nodes == size && nedges == size);
    MPI_Graph_get(graph, size, size, index, back);
    CHECK(back[0] == 1 % size);
    MPI_Graph_neighbors_count(graph, rank, &neighbours);
    MPI_Graph_neighbors(graph, rank, neighbours, back);
    CHECK(neighbours == 1 && back[0] == (rank + 1) % size);
    MPI_Graph_map(MPI_COMM_WORLD, size, index, edges, &r);
    MPI_Comm_free(&graph);
    return finish("topo", nedges);
}
