/* Prints who is in which communicator, as the library sees it: one line
 *     member LABEL: RANK RANK ... [| RANK RANK ...]
 * for each communicator, in the order of ranks, with w1: in front of the ranks of spawned processes.
 * Labels are set as names too. With the argument "spawn" it spawns itself. */
#include "check.h"
#include <unistd.h>

static int world; /* 1 in spawned processes */

static int list(char *to, const int *ids, int n)
{
    int at = 0;
    for (int i = 0; i < n; i++)
        at += sprintf(to + at, ids[i] >= 1000 ? " w1:%d" : " %d", ids[i] % 1000);
    return at;
}

/* show prints the members of c, asked by its first member. */
static void show(MPI_Comm c, const char *label)
{
    int own = world * 1000 + rank, ids[64], far[64], n, m = 0, me, inter;
    if (c == MPI_COMM_NULL) return;
    MPI_Comm_set_name(c, label);
    MPI_Comm_test_inter(c, &inter);
    MPI_Comm_rank(c, &me);
    MPI_Comm_size(c, &n);
    MPI_Group g, w;
    MPI_Comm_group(c, &g);
    MPI_Comm_group(MPI_COMM_WORLD, &w);
    if (!inter) {
        MPI_Allgather(&own, 1, MPI_INT, ids, 1, MPI_INT, c);
    } else {
        MPI_Comm_remote_size(c, &m);
        MPI_Allgather(&own, 1, MPI_INT, far, 1, MPI_INT, c);
        /* The own group: what the others' first rank received. */
        if (me == 0) MPI_Sendrecv(far, m, MPI_INT, 0, 77, ids, n, MPI_INT, 0, 77, c, MPI_STATUS_IGNORE);
    }
    if (!inter && world == 0) {
        int ranks[64], there[64];
        for (int i = 0; i < n; i++) ranks[i] = i;
        MPI_Group_translate_ranks(g, n, ranks, w, there);
        for (int i = 0; i < n; i++) CHECK(there[i] == (ids[i] < 1000 ? ids[i] : MPI_UNDEFINED));
    }
    MPI_Group_free(&g);
    MPI_Group_free(&w);
    if (me == 0 && (!inter || ids[0] < far[0])) {
        char line[2048];
        int at = sprintf(line, "member %s:", label);
        at += list(line + at, ids, n);
        if (inter) at += sprintf(line + at, " |"), at += list(line + at, far, m);
        line[at++] = '\n';
        CHECK(write(1, line, at) == at); /* at once, or lines of other ranks come in between */
    }
}

static void named(MPI_Comm c, const char *format, int number)
{
    char label[64];
    snprintf(label, sizeof label, format, number);
    show(c, label);
}

static void splits(void)
{
    MPI_Comm half, quarter, back, copy[2], none, host;
    MPI_Request r[2];
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    named(half, "half%d", rank % 2);
    MPI_Comm_split(half, rank / 2 % 2, -rank, &quarter);
    named(quarter, "quarter%d", rank % 4);
    MPI_Comm_split(MPI_COMM_WORLD, 5, (rank * 5 + 3) % 7, &back);
    show(back, "shuffled");
    MPI_Comm_idup(back, &copy[0], &r[0]);
    MPI_Comm_idup(half, &copy[1], &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    show(copy[0], "idup-shuffled");
    named(copy[1], "idup-half%d", rank % 2);
    MPI_Comm_split(back, rank == 1 ? MPI_UNDEFINED : 1, 0, &none);
    show(none, "all-but-one");
    MPI_Comm_split_type(back, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    show(host, "host");
    MPI_Comm self;
    MPI_Comm_dup(MPI_COMM_SELF, &self);
    named(self, "self%d", rank);
    for (int i = 0; i < 3; i++) { /* the same ones again and again */
        MPI_Comm a, b;
        MPI_Comm_dup(half, &a);
        MPI_Comm_split(a, rank / 2, rank, &b);
        MPI_Comm_free(&a);
        MPI_Comm_free(&b);
    }
    MPI_Comm_dup_with_info(half, MPI_INFO_NULL, &none);
    named(none, "after-loop%d", rank % 2);
}

static void groups(void)
{
    MPI_Group w, g[8];
    MPI_Comm c, shuffled;
    int last[2] = {size - 1, 0}, all[1][3] = {{size - 1, 0, -1}}, odd[1][3] = {{1, size - 1, 2}};
    MPI_Comm_group(MPI_COMM_WORLD, &w);
    MPI_Group_incl(w, 2, last, &g[0]);
    MPI_Group_range_incl(w, 1, all, &g[1]);
    MPI_Group_range_excl(g[1], 1, odd, &g[2]);
    MPI_Group_union(g[0], g[2], &g[3]);
    MPI_Group_intersection(g[1], g[0], &g[4]);
    MPI_Group_difference(g[1], g[0], &g[5]);
    MPI_Group_excl(g[1], 1, last, &g[6]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, (rank * 3 + 1) % 5, &shuffled);
    MPI_Comm_group(shuffled, &g[7]);
    for (int i = 0; i < 8; i++) {
        MPI_Comm_create(i == 7 ? shuffled : MPI_COMM_WORLD, g[i], &c);
        named(c, "group%d", i);
        int me;
        MPI_Group_rank(g[i], &me);
        for (int k = 0; k < 2 && me != MPI_UNDEFINED; k++) {
            MPI_Comm_create_group(MPI_COMM_WORLD, g[i], 9, &c);
            named(c, k ? "create_group%d" : "create_group%d-first", i);
        }
    }
    for (int i = 0; i < 8; i++) MPI_Group_free(&g[i]);
    MPI_Group_free(&w);
}

static void grids(void)
{
    int dims[3] = {2, size / 2, 1}, periods[3] = {1, 0, 0}, keep[3] = {0, 1, 1}, other[3] = {1, 0, 0}, coords[3];
    MPI_Comm grid, row, column, small, ring;
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 1, &grid);
    if (grid != MPI_COMM_NULL) {
        show(grid, "grid");
        int me;
        MPI_Comm_rank(grid, &me);
        MPI_Cart_coords(grid, me, 3, coords);
        MPI_Cart_sub(grid, keep, &row);
        named(row, "row%d", coords[0]);
        MPI_Cart_sub(grid, other, &column);
        named(column, "column%d", coords[1]);
    }
    MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){2}, (int[]){1}, 0, &small);
    show(small, "small-grid");
    int index[16], edges[16], next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int i = 0; i < size; i++) index[i] = i + 1, edges[i] = (i + 1) % size;
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &ring);
    show(ring, "graph");
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
    show(ring, "dist_graph");
    int degree = 1;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
    show(ring, "dist_graph2");
}

static void inters(void)
{
    int odd = rank % 2;
    MPI_Comm half, link, again, part, merged, third, some;
    MPI_Group mine, first;
    MPI_Comm_split(MPI_COMM_WORLD, odd, -rank, &half);
    MPI_Intercomm_create(half, 1, MPI_COMM_WORLD, odd ? (size - 1) / 2 * 2 - 2 : size / 2 * 2 - 3, 12, &link);
    show(link, "link");
    MPI_Comm_dup(link, &again);
    show(again, "link-copy");
    MPI_Intercomm_merge(again, !odd, &merged);
    show(merged, "odd-first");
    MPI_Intercomm_merge(again, 0, &merged);
    show(merged, "undecided");
    MPI_Comm_split(link, rank < 2, rank, &part);
    named(part, "link-part%d", rank < 2);
    MPI_Comm_group(link, &mine);
    MPI_Group_incl(mine, 1, (int[]){odd}, &first);
    MPI_Comm_create(link, first, &some);
    show(some, "link-some");
    MPI_Group_free(&first);
    MPI_Group_free(&mine);
    MPI_Comm_remote_group(link, &mine);
    MPI_Group_free(&mine);
    /* Three parts in a row, with one tag: 0-1 and 1-2. */
    int at = rank * 3 / size, lead[3];
    for (int i = size - 1; i >= 0; i--) lead[i * 3 / size] = i;
    MPI_Comm_split(MPI_COMM_WORLD, at, rank, &third);
    for (int i = 0; i < 2; i++)
        if (at == i || at == i + 1) {
            MPI_Comm pair;
            MPI_Intercomm_create(third, 0, MPI_COMM_WORLD, lead[at == i ? i + 1 : i], 5, &pair);
            named(pair, "thirds%d", i);
        }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (argc > 1 && !strcmp(argv[1], "spawn")) {
        MPI_Comm parent, children, all;
        MPI_Comm_get_parent(&parent);
        world = parent != MPI_COMM_NULL;
        if (!world) {
            char *args[] = {"spawn", NULL};
            MPI_Comm_spawn(argv[0], args, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
            parent = children;
        }
        show(parent, "children");
        MPI_Intercomm_merge(parent, !world, &all);
        show(all, "all");
        MPI_Comm_free(&all);
        MPI_Comm_disconnect(&parent);
        MPI_Finalize();
        return 0;
    }
    splits();
    groups();
    grids();
    inters();
    return finish("membership", size);
}
