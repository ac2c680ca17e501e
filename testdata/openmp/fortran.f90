! OpenMP in Fortran: regions, a dynamic loop, a critical section, a lock, workshare, tasks.
program main
  use omp_lib
  implicit none
  integer :: i, total, a(64)
  integer(omp_lock_kind) :: lock
  call omp_init_lock(lock)
  total = 0
  a = 1
  !$omp parallel num_threads(3)
  !$omp do schedule(dynamic, 4)
  do i = 1, 64
     !$omp critical
     total = total + i
     !$omp end critical
  end do
  !$omp end do
  !$omp workshare
  a = a + 1
  !$omp end workshare
  call omp_set_lock(lock)
  total = total + 1
  call omp_unset_lock(lock)
  !$omp single
  !$omp task
  !$omp atomic
  total = total + sum(a)
  !$omp end task
  !$omp end single
  !$omp end parallel
  print *, total
end program
