package plan

import (
	"slices"
	"strings"
)

// What must not be traced, by name, and why.
var never = map[string]string{
	"setjmp": twice, "_setjmp": twice, "sigsetjmp": twice, "__sigsetjmp": twice, "savectx": twice, "vfork": twice,
	"__vfork": twice, "__libc_vfork": twice, "getcontext": twice, "__getcontext": twice,
	"swapcontext": stacks, "__swapcontext": stacks, "setcontext": stacks, "__setcontext": stacks,
	"makecontext": stacks, "__makecontext": stacks, "__start_context": stacks,
	"clone": stacks, "__clone": stacks, "clone3": stacks, "__clone3": stacks, "__clone_internal": stacks,
	"jump_fcontext": stacks, "ontop_fcontext": stacks, "make_fcontext": stacks,
	"mcount": caller, "_mcount": caller, "__fentry__": caller, "__cyg_profile_func_enter": caller,
	"__cyg_profile_func_exit": caller, "__morestack": caller,
	"dlsym": caller, "dlvsym": caller, "dlopen": caller, "dlmopen": caller, "dlclose": caller, "dladdr": caller,
	"__tls_get_addr": caller, "__restore_rt": "where signal handlers return to",
	"_start": start, "_dl_start": start, "_init": start, "_fini": start, "deregister_tm_clones": start,
	"register_tm_clones": start, "__do_global_dtors_aux": start, "frame_dummy": start, "__libc_csu_init": start,
	"__libc_csu_fini": start, "_dl_relocate_static_pie": start, "__libc_start_main": start,
	"__register_frame": unwinds, "__deregister_frame": unwinds, "__register_frame_info": unwinds,
	"__deregister_frame_info": unwinds, "__gcc_personality_v0": unwinds, "__gxx_personality_v0": unwinds,
	"backtrace": unwinds, "__backtrace": unwinds,
}

const (
	twice   = "returns twice"
	stacks  = "changes the stack"
	caller  = "looks at its return address"
	start   = "start and end of a program, made by the compiler"
	unwinds = "unwinds the stack"
	part    = "a part of another function"
	// instruments is what compilers put into programs that XRay or sanitizers look at.
	instruments = "looks at the program itself"
)

func hasPrefix(name string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

func excluded(name string) string {
	name, _, _ = strings.Cut(name, "@")
	if why := never[name]; why != "" {
		return why
	}
	switch {
	case hasPrefix(name, "_Unwind_", "uw_", "execute_cfa_", "execute_stack_", "_dl_find_object", "dl_iterate_phdr",
		"unw_",
		"__unw_", "_ZN9libunwind"):
		return unwinds
	case hasPrefix(name, "__xray_", "__sanitizer_", "_GLOBAL__sub_I_xray_", "_GLOBAL__sub_I_sanitizer_") ||
		hasPrefix(name, "_Z") && (strings.Contains(name, "6__xray") || strings.Contains(name, "11__sanitizer")):
		return instruments
	case strings.Contains(name, ".cold"):
		return part
	}
	return ""
}
