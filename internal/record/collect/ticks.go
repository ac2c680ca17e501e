//go:build amd64 || arm64

package collect

// ticks reads the counter that the runtime's time stamps come from.
func ticks() uint64
