/* Neighbourhood collectives on Cartesian, graph and distributed graph
 * topologies: blocking, non-blocking and (MPI 4) persistent. */
#include "check.h"

static void exchange(MPI_Comm c, int in, int out)
{
    int send[8], recv[8], counts[8], displs[8];
    MPI_Aint bytes[8];
    MPI_Datatype types[8];
    MPI_Request r;
    CHECK(in <= 8 && out <= 8);
    for (int i = 0; i < 8; i++) send[i] = rank, counts[i] = 1, displs[i] = i, bytes[i] = 4 * i, types[i] = MPI_INT;
    long sum = 0, want = -1;
    for (int form = 0; form < 10; form++) {
        memset(recv, 0, sizeof recv);
        r = MPI_REQUEST_NULL;
        switch (form) {
        case 0: MPI_Neighbor_allgather(send, 1, MPI_INT, recv, 1, MPI_INT, c); break;
        case 1: MPI_Neighbor_allgatherv(send, 1, MPI_INT, recv, counts, displs, MPI_INT, c); break;
        case 2: MPI_Neighbor_alltoall(send, 1, MPI_INT, recv, 1, MPI_INT, c); break;
        case 3: MPI_Neighbor_alltoallv(send, counts, displs, MPI_INT, recv, counts, displs, MPI_INT, c); break;
        case 4: MPI_Neighbor_alltoallw(send, counts, bytes, types, recv, counts, bytes, types, c); break;
        case 5: MPI_Ineighbor_allgather(send, 1, MPI_INT, recv, 1, MPI_INT, c, &r); break;
        case 6: MPI_Ineighbor_allgatherv(send, 1, MPI_INT, recv, counts, displs, MPI_INT, c, &r); break;
        case 7: MPI_Ineighbor_alltoall(send, 1, MPI_INT, recv, 1, MPI_INT, c, &r); break;
        case 8: MPI_Ineighbor_alltoallv(send, counts, displs, MPI_INT, recv, counts, displs, MPI_INT, c, &r); break;
        case 9: MPI_Ineighbor_alltoallw(send, counts, bytes, types, recv, counts, bytes, types, c, &r); break;
        }
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        sum = 0;
        for (int i = 0; i < in; i++) sum += recv[i];
        if (want < 0) want = sum;
        CHECK(sum == want);
    }
#if MPI_VERSION >= 4
    MPI_Neighbor_alltoall_init(send, 1, MPI_INT, recv, 1, MPI_INT, c, MPI_INFO_NULL, &r);
    for (int i = 0; i < 3; i++) MPI_Start(&r), MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Request_free(&r);
    MPI_Neighbor_alltoallw_init(send, counts, bytes, types, recv, counts, bytes, types, c, MPI_INFO_NULL, &r);
    MPI_Start(&r), MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Request_free(&r);
#endif
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm c;
    int left = (rank + size - 1) % size, right = (rank + 1) % size;

    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (int[]){1}, 0, &c);
    exchange(c, 2, 2);
    MPI_Comm_free(&c);

    int index[16], edges[32];
    for (int i = 0; i < size; i++) {
        index[i] = 2 * (i + 1);
        edges[2 * i] = (i + size - 1) % size, edges[2 * i + 1] = (i + 1) % size;
    }
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &c);
    exchange(c, 2, 2);
    MPI_Comm_free(&c);

    int weights[2] = {3, 4}, back[2], wback[2];
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, weights, 1, &right, weights, MPI_INFO_NULL, 0, &c);
    int in, out, weighted;
    MPI_Dist_graph_neighbors_count(c, &in, &out, &weighted);
    CHECK(in == 1 && out == 1 && weighted);
    MPI_Dist_graph_neighbors(c, 1, back, wback, 1, back + 1, wback + 1);
    CHECK(back[0] == left && back[1] == right && wback[0] == 3);
    exchange(c, in, out);
    MPI_Comm_free(&c);

    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, (int[]){left, right}, MPI_UNWEIGHTED, 2, (int[]){right, left}, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 1, &c);
    exchange(c, 2, 2);
    MPI_Comm_free(&c);

    /* Only rank 0 knows the graph: a star with edges towards it. */
    int sources[16], degrees[16], targets[16];
    for (int i = 1; i < size; i++) sources[i - 1] = i, degrees[i - 1] = 1, targets[i - 1] = 0;
    MPI_Dist_graph_create(MPI_COMM_WORLD, rank ? 0 : size - 1, sources, degrees, targets, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &c);
#ifndef MPICH_VERSION /* MPICH 4.0.2 may lose messages where ranks have no neighbour on one side: the root waits for ever, also untraced. */
    exchange(c, rank ? 0 : size - 1, rank ? 1 : 0);
#endif
    MPI_Comm_free(&c);
    MPI_Barrier(MPI_COMM_WORLD); /* else MPICH 4.0.2 may wait in MPI_Finalize without going on with what it sends */
    return finish("neighbor", in);
}
