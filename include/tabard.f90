! Names for parts of a program, which tabard records among its calls: see docs/regions.md. Compile this file with the
! program; there is nothing to link.
!
!     use tabard
!     call tabard_region_begin("solve")
!     ...
!     call tabard_region_end()
module tabard
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: tabard_region_begin, tabard_region_end, tabard_region_mark, tabard_region_value

  abstract interface
    subroutine named(name) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    subroutine plain() bind(c)
    end subroutine
    subroutine valued(name, value) bind(c)
      import :: c_char, c_double
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: value
    end subroutine
  end interface

  interface
    function find(handle, name) bind(c, name="dlsym")
      import :: c_ptr, c_funptr, c_char
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr) :: find
    end function
  end interface

  logical, save :: known = .false.
  procedure(named), pointer, save :: begin_function => null(), mark_function => null()
  procedure(plain), pointer, save :: end_function => null()
  procedure(valued), pointer, save :: value_function => null()

contains

  subroutine look()
    type(c_funptr) :: f
    f = find(c_null_ptr, "tabard_begin" // c_null_char)
    if (c_associated(f)) then
      call c_f_procpointer(f, begin_function)
      call c_f_procpointer(find(c_null_ptr, "tabard_mark" // c_null_char), mark_function)
      call c_f_procpointer(find(c_null_ptr, "tabard_end" // c_null_char), end_function)
      call c_f_procpointer(find(c_null_ptr, "tabard_value" // c_null_char), value_function)
    end if
    known = .true.
  end subroutine

  subroutine tabard_region_begin(name)
    character(len=*), intent(in) :: name
    if (.not. known) call look()
    if (associated(begin_function)) call begin_function(trim(name) // c_null_char)
  end subroutine

  subroutine tabard_region_end()
    if (.not. known) call look()
    if (associated(end_function)) call end_function()
  end subroutine

  subroutine tabard_region_mark(name)
    character(len=*), intent(in) :: name
    if (.not. known) call look()
    if (associated(mark_function)) call mark_function(trim(name) // c_null_char)
  end subroutine

  subroutine tabard_region_value(name, value)
    character(len=*), intent(in) :: name
    real(c_double), intent(in) :: value
    if (.not. known) call look()
    if (associated(value_function)) call value_function(trim(name) // c_null_char, value)
  end subroutine

end module
