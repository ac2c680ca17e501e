! The program of heat.c in Fortran, with one fault: the last rank computes longer and longer.
!     mpifort -g -o heatf heat.f90
program heat
    use mpi_f08
    use iso_c_binding
    implicit none
    interface
        integer(c_int) function usleep(microseconds) bind(c)
            import c_int
            integer(c_int), value :: microseconds
        end function
    end interface
    integer, parameter :: steps = 30
    integer :: rank, ranks, step, ignored
    double precision :: rod(1000), total
    type(MPI_Request) :: requests(2)

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    rod = rank
    do step = 1, steps
        if (rank == ranks - 1) then
            ignored = usleep(5000 + 1500 * step)
        else
            ignored = usleep(5000)
        end if
        call MPI_Irecv(rod(1:10), 10, MPI_DOUBLE_PRECISION, modulo(rank - 1, ranks), 1, MPI_COMM_WORLD, requests(1))
        call MPI_Isend(rod(991:1000), 10, MPI_DOUBLE_PRECISION, modulo(rank + 1, ranks), 1, MPI_COMM_WORLD, requests(2))
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
        call MPI_Allreduce(rod(1), total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    end do
    if (rank == 0) print '(i0, a, i0, a)', steps, ' steps on ', ranks, ' ranks'
    call MPI_Finalize()
end program
