package infer_test

import (
	"fmt"
	"strings"
	"testing"
)

// call is a call at a line of a program.
func call(line int, format string, args ...any) string {
	return fmt.Sprintf(format, args...) + fmt.Sprintf(" @ a.c:%d [main]\n", line)
}

// result is a call with what it returns.
func result(line int, results, format string, args ...any) string {
	return fmt.Sprintf(format, args...) + fmt.Sprintf(" @ a.c:%d [main] ; %s\n", line, results)
}

func tagged(to, tag, line int) string {
	return call(line, "MPI_Send(count=1, datatype=MPI_INT, dest=%d, tag=%d, comm=MPI_COMM_WORLD)", to, tag)
}

// started is a message that is complete later.
func started(request int, function, partner string, rank, line int) string {
	return result(line, fmt.Sprintf("request=request#%d", request),
		"%s(count=40, datatype=MPI_INT, %s=%d, tag=1, comm=MPI_COMM_WORLD)", function, partner, rank)
}

// ruled are programs that show single rules of the inference.
var ruled = []model{
	{"a tag that counts iterations", 6, 0, func(r, n int) string {
		return tagged((r+1)%n, 10, 5) + tagged((r+1)%n, 11, 5) + tagged((r+1)%n, 12, 5) + tagged((r+1)%n, 13, 5)
	}, `
4 times for i0
  MPI_Send(-, 1, 27, ((r + 1) mod P), (i0 + 10), 3)
assumed: the loop over MPI_Send at a.c:5 [main]: 4 times in jobs of any size, although an axis of the process grid has 6 ranks
`},
	{"a tag that is the sender's rank", 6, 13, func(r, n int) string { return tagged((r+1)%n, r, 5) }, `
MPI_Send(-, 1, 27, ((r + 1) mod P), r, 3)
`},
	{"a tag equal to the number of ranks is a tag", 6, 0, func(r, n int) string { return tagged((r+1)%n, n, 5) }, `
MPI_Send(-, 1, 27, ((r + 1) mod P), 6, 3)
`},
	{"the last rank is the root", 6, 13, func(r, n int) string { return bcast(n-1, 4, 5) }, `
MPI_Bcast(-, 4, 27, (P - 1), 3)
assumed: MPI_Bcast at a.c:5 [main], root: rank 5 is the last one
`},
	{"a root in the midst stays who it is", 6, 0, func(r, n int) string { return bcast(3, 4, 5) }, `
MPI_Bcast(-, 4, 27, 3, 3)
assumed: MPI_Bcast at a.c:5 [main], root: rank 3 is the same one in jobs of other sizes
`},
	{"a grid of rows and columns, periodic", 12, 20, func(r, n int) string {
		c := 3
		if n == 20 {
			c = 4
		}
		row, col := r/c, r%c
		return send(row*c+(col+1)%c, 5) + receive(row*c+(col+c-1)%c, 6) + send((r+c)%n, 7) + receive((r+n-c)%n, 8)
	}, `
MPI_Send(-, 40, 27, shift[0 1]wrap[false true], 1, 3)
MPI_Recv(-, 40, 27, shift[0 -1]wrap[false true], 1, 3, -)
MPI_Send(-, 40, 27, shift[1 0]wrap[true false], 1, 3)
MPI_Recv(-, 40, 27, shift[-1 0]wrap[true false], 1, 3, -)
assumed: the process grid has 2 balanced sizes
`},
	{"an axis of two ranks, passed around", 8, 0, func(r, n int) string {
		row, col := r/2, r%2
		return send(row*2+(col+1)%2, 5) + receive(row*2+(col+1)%2, 6) + send((r+2)%n, 7) + receive((r+n-2)%n, 8)
	}, `
MPI_Send(-, 40, 27, (r xor 1), 1, 3)
MPI_Recv(-, 40, 27, (r xor 1), 1, 3, -)
MPI_Send(-, 40, 27, shift[1 0]wrap[true false], 1, 3)
MPI_Recv(-, 40, 27, shift[-1 0]wrap[true false], 1, 3, -)
assumed: it is not for any number of ranks: with 9 of them calls do not fit together
assumed: the partner has another bit in its rank; it could as well be a neighbour on a process grid with two ranks along an axis (2 times, such as MPI_Recv at a.c:6 [main], source)
assumed: the process grid has 2 balanced sizes
`},
	{"everybody with everybody, one after another", 6, 9, func(r, n int) string {
		text := ""
		for i := 1; i < n; i++ {
			text += send((r+i)%n, 5) + receive((r+n-i)%n, 6)
		}
		return text
	}, `
(P - 1) times for i0
  MPI_Send(-, 40, 27, ((r + (i0 + 1)) mod P), 1, 3)
  MPI_Recv(-, 40, 27, ((r + ((-1 * i0) - 1)) mod P), 1, 3, -)
assumed: the loop over MPI_Send at a.c:5 [main]: 5 partners are (P - 1)
`},
	{"a partner with another bit in each step", 8, 16, func(r, n int) string {
		text := ""
		for b := 1; b < n; b *= 2 {
			text += send(r^b, 5) + receive(r^b, 6)
		}
		return text
	}, `
bits((P - 1)) times for i0
  MPI_Send(-, 40, 27, (r xor 2^(i0)), 1, 3)
  MPI_Recv(-, 40, 27, (r xor 2^(i0)), 1, 3, -)
assumed: it is not for any number of ranks: with 10 of them calls do not fit together
assumed: it is not for any number of ranks: with 9 of them calls do not fit together
assumed: the loop over MPI_Send at a.c:5 [main]: 3 partners are bits((P - 1))
`},
	{"half of the ranks away is the same forth and back: what is taken fits no other size", 8, 0,
		func(r, n int) string {
			text := ""
			for b := 1; b < n; b *= 2 {
				text += send((r+b)%n, 5) + receive((r+n-b)%n, 6)
			}
			return text
		}, `
another number of ranks is not possible:
  MPI_Recv at a.c:6 [main] (ranks 0-8): with 9 ranks calls would not fit together: process 0 receives from process 4 with tag 1, which sends no such message
  MPI_Send at a.c:5 [main] (ranks 0-8): with 9 ranks calls would not fit together: process 5 sends to process 0 with tag 1, which does not receive it
`},
	{"the first rank serves the others in turn", 5, 9, func(r, n int) string {
		if r > 0 {
			return send(0, 5) + receive(0, 6)
		}
		text := ""
		for i := 1; i < n; i++ {
			text += receive(i, 7) + send(i, 8)
		}
		return text
	}, `
((P - 1) if (r = 0) else 0) times for i0
  MPI_Recv(-, 40, 27, ((r + (i0 + 1)) mod P), 1, 3, -)
  MPI_Send(-, 40, 27, ((r + (i0 + 1)) mod P), 1, 3)
not((r = 0)) times MPI_Send(-, 40, 27, 0, 1, 3)
not((r = 0)) times MPI_Recv(-, 40, 27, 0, 1, 3, -)
assumed: no process grid shows with a prime number of ranks: what depends on the rank is taken to depend on the rank in jobs of other sizes, and not on a row or a column
assumed: the loop over MPI_Recv at a.c:7 [main]: 4 partners are (P - 1)
`},
	{"how many messages a wildcard takes does not follow from one size", 5, 0, func(r, n int) string {
		if r > 0 {
			return send(0, 5)
		}
		return fmt.Sprintf("loop %d\n", n-1) + call(6, "MPI_Recv(count=40, datatype=MPI_INT, source=MPI_ANY_SOURCE, "+
			"tag=MPI_ANY_TAG, comm=MPI_COMM_WORLD)") + "end\n"
	}, `
another number of ranks is not possible: MPI_Send at a.c:5 [main] (ranks 5): with 6 ranks calls would not fit together: process 5 sends to process 0 with tag 1, which does not receive it
`},
	{"the color of a split", 8, 16, func(r, n int) string {
		return result(5, "newcomm=comm#0", "MPI_Comm_split(comm=MPI_COMM_WORLD, color=%d, key=%d)", r%2, r)
	}, `
MPI_Comm_split(3, not(((r mod 2) = 0)), r, 2)
`},
	{"places are sums of the lengths before", 5, 0, func(r, n int) string {
		return call(5, "MPI_Allgatherv(sendcount=%d, sendtype=MPI_INT, "+
			"recvcounts=[1, 2, 3, 4, 5], displs=[0, 1, 3, 6, 10], recvtype=MPI_INT, comm=MPI_COMM_WORLD)", r+1)
	}, `
MPI_Allgatherv(-, (r + 1), 27, -, P x [(e + 1)], P x [(sum of (e + 1) for all before e)], 27, 3)
assumed: no process grid shows with a prime number of ranks: what depends on the rank is taken to depend on the rank in jobs of other sizes, and not on a row or a column
`},
	{"iterations by rank", 6, 11, func(r, n int) string {
		return fmt.Sprintf("loop %d\n", 2*r+3) + bcast(0, 4, 5) + "end\n"
	}, `
((2 * r) + 3) times for i0
  MPI_Bcast(-, 4, 27, 0, 3)
assumed: the loop over MPI_Bcast at a.c:5 [main]: 3 times in jobs of any size, although an axis of the process grid has 3 ranks
`},
	{"requests of a loop, completed together", 6, 11, func(r, n int) string {
		return started(0, "MPI_Irecv", "source", (r+n-1)%n, 5) + started(1, "MPI_Isend", "dest", (r+1)%n, 6) +
			call(7, "MPI_Waitall(count=2, array_of_requests=[request#0, request#1])")
	}, `
MPI_Irecv(-, 40, 27, ((r - 1) mod P), 1, 3, 2)
MPI_Isend(-, 40, 27, ((r + 1) mod P), 1, 3, 4)
MPI_Waitall(2, 2 x [((2 * e) + 2)], -, -)
`},
	{"the machine's name is that of the first rank", 4, 0, func(r, n int) string {
		return result(5, fmt.Sprintf("name=\"node%d\" ; resultlen=5", r), "MPI_Get_processor_name()")
	}, `
MPI_Get_processor_name(-, 5)
`},
	{"two ranks", 2, 0, func(r, n int) string { return send(1-r, 5) + receive(1-r, 6) }, `
another number of ranks is not possible:
  MPI_Send at a.c:5 [main], dest (ranks 0-1): with two ranks there is one partner only, whoever it is; a recording with more ranks, or a second one, tells
  MPI_Recv at a.c:6 [main], source (ranks 0-1): with two ranks there is one partner only, whoever it is; a recording with more ranks, or a second one, tells
`},
	{"polls", 4, 0, func(r, n int) string {
		return started(0, "MPI_Isend", "dest", (r+1)%n, 5) +
			"poll 3 " + result(6, "flag=0", "MPI_Test(request=request#0)") +
			result(6, "flag=1", "MPI_Test(request=request#0)")
	}, `
another number of ranks is not possible: MPI_Test at a.c:6 [main] (ranks 0-3): it was made until it succeeded, and how often that was depends on the run
`},
	{"a count without a rule in a column", 8, 0, func(r, n int) string {
		text := ""
		for i := range 8 {
			text += call(5, "MPI_Bcast(count=?%d, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD)",
				(i*7919+r*104729)%1009)
		}
		return text
	}, `
another number of ranks is not possible: MPI_Bcast at a.c:5 [main], count (ranks 0-7): its values do not follow from rank, size and iteration
`},
	{"a count without a rule, of one call", 8, 0, func(r, n int) string {
		return call(5, "MPI_Gatherv(sendcount=%d, sendtype=MPI_INT, root=0, comm=MPI_COMM_WORLD)",
			(r*104729+r*r*31)%1009)
	}, `
another number of ranks is not possible: MPI_Gatherv at a.c:5 [main], sendcount (ranks 0-7): its values do not follow from rank, size and iteration
`},
	{"counts without a rule: what follows from them is not said", 4, 0, func(r, n int) string {
		text := ""
		for i := range 4 {
			at := func(from, to int) int {
				x := from*31 + to*7 + i*17
				return 1 + (x*x*x*7919+x*x*104729)%1009
			}
			var counts, displs [2][]string
			sum := [2]int{}
			for k := range n {
				for side, v := range [2]int{at(r, k), at(k, r)} {
					counts[side] = append(counts[side], fmt.Sprint(v))
					displs[side] = append(displs[side], fmt.Sprint(sum[side]))
					sum[side] += v
				}
			}
			list := func(s []string) string { return "[" + strings.Join(s, ", ") + "]" }
			text += call(5, "MPI_Alltoallv(sendcounts=%s, sdispls=%s, sendtype=MPI_INT, recvcounts=%s, rdispls=%s, "+
				"recvtype=MPI_INT, comm=MPI_COMM_WORLD)", list(counts[0]), list(displs[0]), list(counts[1]), list(displs[1]))
			text += bcast(0, 4, 6)
		}
		return text
	}, `
another number of ranks is not possible: MPI_Alltoallv at a.c:5 [main], sendcounts (ranks 0-3): its values do not follow from rank, size and iteration
`},
	{"blocks of memory by rank", 6, 11, func(r, n int) string {
		return fmt.Sprintf("tabard_segment(segment=0, kind=1, bytes=%d)\n", 64*r+128) +
			bcast(0, 4, 5) + "tabard_segment_end(segment=0)\n"
	}, `
tabard_segment(0, 1, ((64 * r) + 128))
MPI_Bcast(-, 4, 27, 0, 3)
tabard_segment_end(0)
`},
	{"calls of one line with other kinds of values", 4, 0, func(r, n int) string {
		return call(5, "MPI_Bcast(buffer=heap#0, count=1, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD)") +
			call(5, "MPI_Bcast(buffer=stack#0, count=1, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD)")
	}, `
MPI_Bcast([0, 0], 1, 27, 0, 3)
MPI_Bcast([0, 0], 1, 27, 0, 3)
`},
	{"calls in another order at some ranks: one is common, the other one is two", 6, 0, func(r, n int) string {
		if r%2 == 0 {
			return bcast(0, 4, 5) + bcast(0, 8, 6)
		}
		return bcast(0, 8, 6) + bcast(0, 4, 5)
	}, `
((r mod 2) = 0) times MPI_Bcast(-, 4, 27, 0, 3)
MPI_Bcast(-, 8, 27, 0, 3)
not(((r mod 2) = 0)) times MPI_Bcast(-, 4, 27, 0, 3)
`},
	{"all but the last two ranks", 8, 0, func(r, n int) string {
		if r < n-2 {
			return send(r+2, 5)
		}
		return ""
	}, `
(not((shift[1 0] < 0)) and (shift[1 0] < P)) times MPI_Send(-, 40, 27, shift[1 0], 1, 3)
assumed: the process grid has 2 balanced sizes
`},
	{"the first rank of each row, with as many ranks to a row as rows", 16, 0, func(r, n int) string {
		return send(r/4*4, 5)
	}, `
MPI_Send(-, 40, 27, (d0 * c0), 1, 3)
assumed: the process grid has 2 balanced sizes
`},
	{"a failed call stays one", 4, 9, func(r, n int) string {
		return "MPI_Comm_size(comm=MPI_COMM_WORLD) @ a.c:5 [main] ; ret 5\n"
	}, `
MPI_Comm_size(3, -)
`},
}

func TestRules(t *testing.T) { checkModels(t, ruled) }
