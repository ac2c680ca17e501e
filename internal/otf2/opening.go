package otf2

import (
	"strings"

	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// Flags of open on Linux that archives have bits for; O_SYNC contains O_DSYNC.
const (
	linuxSync     = 0o4010000
	linuxDataSync = 0o10000
)

// linuxBits are the other flags of open that say the same as a bit of archives.
var linuxBits = []struct {
	flag             int64
	creation, status uint32
}{{0o100, Create, 0}, {0o200, Exclusive, 0}, {0o400, NoTerminal, 0}, {0o1000, Truncate, 0}, {0o2000, 0, StatusAppend},
	{0o4000, 0, StatusNonblocking}, {0o1000000, 0, StatusNoTime}, {0o2000000, 0, StatusCloseOnExec},
	{0o10000000, PathOnly, 0}, {0o20000000, Temporary, 0}}

// LinuxOpening is what flags of open say.
func LinuxOpening(flags int64) Opening {
	o := Opening{Mode: AccessMode(flags & 3)}
	for _, b := range linuxBits {
		if flags&b.flag != 0 {
			o.Creation |= b.creation
			o.Status |= b.status
		}
	}
	switch {
	case flags&linuxSync == linuxSync:
		o.Status |= StatusSync
	case flags&linuxDataSync != 0:
		o.Status |= StatusDataSync
	}
	return o
}

// Linux is the flags of open.
func (o Opening) Linux() int64 {
	flags := int64(o.Mode & 3)
	for _, b := range linuxBits {
		if o.Creation&b.creation|o.Status&b.status != 0 {
			flags |= b.flag
		}
	}
	if o.Status&StatusSync != 0 {
		flags |= linuxSync
	}
	if o.Status&StatusDataSync != 0 {
		flags |= linuxDataSync
	}
	return flags
}

// StreamOpening is what the mode of fopen says.
func StreamOpening(mode string) Opening {
	o := Opening{Mode: WriteOnly, Creation: Create}
	switch {
	case strings.HasPrefix(mode, "r"):
		o = Opening{}
	case strings.HasPrefix(mode, "a"):
		o.Status = StatusAppend
	default:
		o.Creation |= Truncate
	}
	if strings.Contains(mode, "+") {
		o.Mode = ReadWrite
	}
	if strings.Contains(mode, "x") {
		o.Creation |= Exclusive
	}
	if strings.Contains(mode, "e") {
		o.Status |= StatusCloseOnExec
	}
	return o
}

// Stream is the mode of fopen.
func (o Opening) Stream() string {
	mode := "r"
	switch {
	case o.Status&StatusAppend != 0:
		mode = "a"
	case o.Creation&Create != 0:
		mode = "w"
	}
	if o.Mode == ReadWrite {
		mode += "+"
	}
	if o.Creation&Exclusive != 0 {
		mode += "x"
	}
	if o.Status&StatusCloseOnExec != 0 {
		mode += "e"
	}
	return mode
}

// mpiBits are modes of MPI's files.
var mpiBits = []struct {
	name             string
	creation, status uint32
}{{mpi.ModeCreate, Create, 0}, {mpi.ModeExcl, Exclusive, 0}, {mpi.ModeDeleteOnClose, 0, StatusDelete},
	{mpi.ModeUniqueOpen, Unique, 0}, {mpi.ModeSequential, NoSeek, 0}, {mpi.ModeAppend, 0, StatusAppend}}

var mpiModes = map[AccessMode]string{ReadOnly: mpi.ModeRdonly, WriteOnly: mpi.ModeWronly, ReadWrite: mpi.ModeRdwr}

// MPIOpening is what a mode of MPI's files says.
func MPIOpening(amode int64, abi spec.ABI) (o Opening) {
	for m, name := range mpiModes {
		if v, ok := abi.Const(name); ok && amode&v != 0 {
			o.Mode = m
		}
	}
	for _, b := range mpiBits {
		if v, ok := abi.Const(b.name); ok && amode&v != 0 {
			o.Creation |= b.creation
			o.Status |= b.status
		}
	}
	return o
}

// MPI is the mode of MPI's files.
func (o Opening) MPI(abi spec.ABI) int64 {
	amode, _ := abi.Const(mpiModes[o.Mode])
	for _, b := range mpiBits {
		if v, ok := abi.Const(b.name); ok && o.Creation&b.creation|o.Status&b.status != 0 {
			amode |= v
		}
	}
	return amode
}
