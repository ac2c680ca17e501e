! Regions of a Fortran program, with names that end in blanks.
program limited
  use mpi
  use tabard
  implicit none
  integer :: ierr, i, rank, total
  character(len=16) :: name
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  do i = 1, 10
     call tabard_region_begin("step")
     call MPI_Barrier(MPI_COMM_WORLD, ierr)
     name = "solve"
     call tabard_region_begin(name)
     call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
     call tabard_region_end()
     call tabard_region_end()
     call MPI_Bcast(total, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  end do
  call MPI_Finalize(ierr)
end program limited
