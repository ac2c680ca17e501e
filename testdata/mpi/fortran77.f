! include 'mpif.h': fixed form, implicit sentinels in common blocks.
      program fortran77
      implicit none
      include 'mpif.h'
      integer ierr, rank, size, left, right, i, total, key
      integer req(2), stats(MPI_STATUS_SIZE, 2), status(MPI_STATUS_SIZE)
      integer a(10), b(10), comm, vec, n
      external merge2
      integer op
      call MPI_INIT(ierr)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierr)
      left = mod(rank + size - 1, size)
      right = mod(rank + 1, size)
      do i = 1, 20
         a(1) = rank * 100 + i
         call MPI_IRECV(b, 10, MPI_INTEGER, left, 1, MPI_COMM_WORLD,
     &                  req(1), ierr)
         call MPI_ISEND(a, 10, MPI_INTEGER, right, 1, MPI_COMM_WORLD,
     &                  req(2), ierr)
         if (mod(i, 2) .eq. 0) then
            call MPI_WAITALL(2, req, MPI_STATUSES_IGNORE, ierr)
         else
            call MPI_WAITALL(2, req, stats, ierr)
         end if
         if (b(1) .ne. left * 100 + i) call MPI_ABORT(MPI_COMM_WORLD,
     &                                                1, ierr)
      end do
      call MPI_SENDRECV(a, 1, MPI_INTEGER, right, 2, b, 10,
     &     MPI_INTEGER, left, 2, MPI_COMM_WORLD, status, ierr)
      call MPI_GET_COUNT(status, MPI_INTEGER, n, ierr)
      if (n .ne. 1) call MPI_ABORT(MPI_COMM_WORLD, 2, ierr)
      call MPI_SENDRECV(a, 1, MPI_INTEGER, right, 2, b, 10,
     &     MPI_INTEGER, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE,
     &     ierr)
      total = rank
      call MPI_ALLREDUCE(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM,
     &     MPI_COMM_WORLD, ierr)
      call MPI_COMM_SPLIT(MPI_COMM_WORLD, mod(rank, 2), 0, comm, ierr)
      call MPI_BARRIER(comm, ierr)
      call MPI_COMM_FREE(comm, ierr)
      call MPI_TYPE_VECTOR(3, 1, 2, MPI_INTEGER, vec, ierr)
      call MPI_TYPE_COMMIT(vec, ierr)
      call MPI_BCAST(a, 1, vec, 0, MPI_COMM_WORLD, ierr)
      call MPI_TYPE_FREE(vec, ierr)
      call MPI_OP_CREATE(merge2, .true., op, ierr)
      call MPI_ALLREDUCE(rank, key, 1, MPI_INTEGER, op,
     &     MPI_COMM_WORLD, ierr)
      call MPI_OP_FREE(op, ierr)
      call MPI_BCAST(MPI_BOTTOM, 0, MPI_INTEGER, 0, MPI_COMM_WORLD,
     &     ierr)
      if (rank .eq. 0) print '(A,I4,I4)', ' fortran77:', total, key
      call MPI_FINALIZE(ierr)
      end

      subroutine merge2(in, inout, n, type)
      implicit none
      integer n, in(n), inout(n), type, i
      do i = 1, n
         inout(i) = max(in(i), inout(i))
      end do
      end
