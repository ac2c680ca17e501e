package spec

import (
	"fmt"
	"strings"
)

// bit is a name of bits, or of a value.
type bit struct {
	value int64
	name  string
}

// What Linux calls values of parameters of the C library's functions. Bits that machines disagree on (O_DIRECT,
// O_DIRECTORY, O_NOFOLLOW, O_LARGEFILE) are left out and shown as numbers; a name of several bits comes before its
// parts.
var (
	openBits = []bit{{0o20000000, "O_TMPFILE"}, {0o4010000, "O_SYNC"}, {0o100, "O_CREAT"}, {0o200, "O_EXCL"},
		{0o400, "O_NOCTTY"}, {0o1000, "O_TRUNC"}, {0o2000, "O_APPEND"}, {0o4000, "O_NONBLOCK"}, {0o10000, "O_DSYNC"},
		{0o1000000, "O_NOATIME"}, {0o2000000, "O_CLOEXEC"}, {0o10000000, "O_PATH"}}
	accessModes    = []bit{{0, "O_RDONLY"}, {1, "O_WRONLY"}, {2, "O_RDWR"}}
	protectionBits = []bit{{1, "PROT_READ"}, {2, "PROT_WRITE"}, {4, "PROT_EXEC"}}
	mappingBits    = []bit{{3, "MAP_SHARED_VALIDATE"}, {1, "MAP_SHARED"}, {2, "MAP_PRIVATE"}, {0x10, "MAP_FIXED"},
		{0x2000, "MAP_LOCKED"}, {0x4000, "MAP_NORESERVE"}, {0x8000, "MAP_POPULATE"}}
	syncBits  = []bit{{1, "MS_ASYNC"}, {2, "MS_INVALIDATE"}, {4, "MS_SYNC"}}
	whences   = []bit{{0, "SEEK_SET"}, {1, "SEEK_CUR"}, {2, "SEEK_END"}, {3, "SEEK_DATA"}, {4, "SEEK_HOLE"}}
	advices   = []bit{{0, "NORMAL"}, {1, "RANDOM"}, {2, "SEQUENTIAL"}, {3, "WILLNEED"}, {4, "DONTNEED"}, {5, "NOREUSE"}}
	errnos    = strings.Fields(errnoNames)
	errnosFar = map[int32]string{110: "ETIMEDOUT", 116: "ESTALE", 121: "EREMOTEIO", 122: "EDQUOT", 125: "ECANCELED"}
)

// errnoNames are those from 1 on.
const errnoNames = `EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC EBADF ECHILD EAGAIN ENOMEM EACCES EFAULT ENOTBLK EBUSY
	EEXIST EXDEV ENODEV ENOTDIR EISDIR EINVAL ENFILE EMFILE ENOTTY ETXTBSY EFBIG ENOSPC ESPIPE EROFS EMLINK EPIPE EDOM ERANGE
	EDEADLK ENAMETOOLONG ENOLCK ENOSYS ENOTEMPTY ELOOP`

// ioKind is the kind of the C library's functions.
var ioKind, _ = EventsNamed("io")

// LinuxName is what Linux calls a value of a parameter of one of the C library's functions, "" if it is a mere number.
func LinuxName(f *Func, param *Param, n int64) string {
	if f.Kind != ioKind || n < 0 {
		return ""
	}
	switch {
	case param.Kind == "MODE":
		return fmt.Sprintf("%#o", n)
	case param.Kind == "WHENCE":
		return one(whences, n)
	case param.Kind != "FLAGS":
		return ""
	case param.Name == "advice":
		return one(advices, n)
	case param.Name == "protection":
		return joined("PROT_NONE", protectionBits, n)
	case f.Name == "mmap":
		return joined("", mappingBits, n)
	case f.Name == "msync":
		return joined("", syncBits, n)
	case f.Op == OpFileOpenByName || f.Name == "dup3":
		access := one(accessModes, n&3)
		if access == "" {
			return ""
		}
		if rest := n &^ 3; rest != 0 {
			return joined(access, openBits, rest)
		}
		return access
	}
	return ""
}

// ErrnoName is the name of an error of the C library, "" if it is not known.
func ErrnoName(f *Func, code int32) string {
	switch {
	case f.Kind != ioKind:
		return ""
	case code >= 1 && int(code) <= len(errnos):
		return errnos[code-1]
	}
	return errnosFar[code]
}

func one(names []bit, n int64) string {
	for _, x := range names {
		if x.value == n {
			return x.name
		}
	}
	return ""
}

// joined is the names of the bits of n behind a first one, which stands alone if there are none. The rest is a number.
func joined(first string, names []bit, n int64) string {
	var parts []string
	if first != "" && !(strings.HasSuffix(first, "_NONE") && n != 0) {
		parts = append(parts, first)
	}
	for _, x := range names {
		if n&x.value == x.value {
			parts = append(parts, x.name)
			n &^= x.value
		}
	}
	if n != 0 {
		parts = append(parts, fmt.Sprintf("%#x", n))
	}
	return strings.Join(parts, "|")
}
