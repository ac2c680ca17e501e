module shapes
  implicit none
contains
  recursive integer function fact(n) result(r)
    integer, intent(in) :: n
    if (n <= 1) then
      r = 1
    else
      r = n * fact(n - 1)
    end if
  end function
  subroutine scale(a, f)
    real(8), intent(inout) :: a(:)
    real(8), intent(in) :: f
    a = a * f
  end subroutine
  function join(a, b) result(c)
    character(*), intent(in) :: a, b
    character(len(a) + len(b)) :: c
    c = a // b
  end function
end module
program main
  use shapes
  implicit none
  real(8) :: v(5)
  integer :: i, total
  complex(8) :: z
  total = 0
  v = [(real(i, 8), i = 1, 5)]
  call scale(v, 2d0)
  do i = 1, 4
    call inner(i)
  end do
  z = turn((1d0, 2d0))
  print *, fact(6), sum(v), total, join('ab', 'cde'), real(z)
  call apply(inner, 3)
  print *, total
  stop 4
contains
  subroutine inner(k)
    integer, intent(in) :: k
    total = total + k
  end subroutine
  subroutine apply(f, n)
    external :: f
    integer, intent(in) :: n
    call f(n)
  end subroutine
  complex(8) function turn(z)
    complex(8), intent(in) :: z
    turn = z * z
  end function
end program
