package launch

import (
	"path/filepath"
	"strings"

	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/spec"
)

// injections are the variables by which NVTX, ITT and Kokkos are told what to load.
var injections = []string{"NVTX_INJECTION64_PATH", "INTEL_LIBITTNOTIFY64", "KOKKOS_TOOLS_LIBS"}

// cudaInjection is the variable by which CUDA's driver is told what to load.
const cudaInjection = "CUDA_INJECTION64_PATH"

// cudaEnv has CUDA's driver load lib, which then asks for what is called and done.
func cudaEnv(env []string, lib string, eventsOff uint32) []string {
	return injected(env, lib, eventsOff, "cuda", cudaInjection)
}

// regionEnv has regions that programs annotate by others' interfaces come to lib. What the user has set stays: each
// interface has one tool.
func regionEnv(env []string, lib string, o *Options) []string {
	if o.In != "" {
		return injected(env, lib, 0, "regions", injections...)
	}
	return injected(env, lib, o.EventsOff, "regions", injections...)
}

// injected sets variables to lib if events of a kind are recorded.
func injected(env []string, lib string, eventsOff uint32, kind string, variables ...string) []string {
	if k, ok := spec.EventsNamed(kind); !ok || eventsOff>>k&1 != 0 {
		return env
	}
	for _, name := range variables {
		free := true
		for i, kv := range env {
			if value, ok := strings.CutPrefix(kv, name+"="); ok {
				if free = filepath.Base(value) == collect.LibraryFile; free { // of a tabard around us
					env = append(env[:i:i], env[i+1:]...)
				}
				break
			}
		}
		if free {
			env = append(env, name+"="+lib)
		}
	}
	return env
}

// pythonVariable tells the runtime of which modules functions are recorded.
const pythonVariable = "TABARD_PYTHON"

func pythonEnv(env []string, modules string, eventsOff uint32) []string {
	if k, ok := spec.EventsNamed("python"); !ok || eventsOff>>k&1 != 0 {
		return env
	}
	return append(slicesWithout(env, pythonVariable+"="), pythonVariable+"="+modules)
}
