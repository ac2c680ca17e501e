! Collectives made of messages: manual NAME. Checks itself.
program manual
  use mpi
  implicit none
  integer, parameter :: n = 96
  integer :: rank, size, ierr, step, i
  logical :: right = .true.
  character(len=32) :: what
  double precision :: data(n), got(n)
  call get_command_argument(1, what)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  do step = 1, 3
    select case (what)
    case ('broadcast')
      data = 0
      if (rank == 1) data = [(step * 7.25d0 + i * i, i = 1, n)]
      call tree(1)
      right = right .and. all(data == [(step * 7.25d0 + i * i, i = 1, n)])
    case ('allreduce')
      data = [(step * 7.25d0 + i * i + rank, i = 1, n)]
      call doubling
      right = right .and. all(data == [(size * (step * 7.25d0 + i * i) + size * (size - 1) / 2, i = 1, n)])
    case ('halo')
      data = [(step * 7.25d0 + i * i + rank * 1000, i = 1, n)]
      call MPI_Sendrecv(data, n, MPI_DOUBLE_PRECISION, modulo(rank + 1, size), 3, got, n, MPI_DOUBLE_PRECISION, &
        modulo(rank - 1, size), 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    end select
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end do
  call MPI_Finalize(ierr)
  if (.not. right) stop 1
contains
  subroutine tree(root)
    integer, intent(in) :: root
    integer :: v, mask
    v = modulo(rank - root, size)
    mask = 1
    do while (mask < size)
      if (iand(v, mask) /= 0) then
        call MPI_Recv(data, n, MPI_DOUBLE_PRECISION, modulo(v - mask + root, size), 1, MPI_COMM_WORLD, &
          MPI_STATUS_IGNORE, ierr)
        exit
      end if
      mask = mask * 2
    end do
    mask = mask / 2
    do while (mask > 0)
      if (v + mask < size) call MPI_Send(data, n, MPI_DOUBLE_PRECISION, modulo(v + mask + root, size), 1, &
        MPI_COMM_WORLD, ierr)
      mask = mask / 2
    end do
  end subroutine
  subroutine doubling
    integer :: mask
    mask = 1
    do while (mask < size)
      call MPI_Sendrecv(data, n, MPI_DOUBLE_PRECISION, ieor(rank, mask), 2, got, n, MPI_DOUBLE_PRECISION, &
        ieor(rank, mask), 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      data = data + got
      mask = mask * 2
    end do
  end subroutine
end program
