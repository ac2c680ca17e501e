package archive

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive/container"
)

// FormatError says that an archive is broken or cannot be read by this
// version: the input is at fault, not the reader. Everything that this package
// returns for bad input is, or wraps, a *FormatError.
type FormatError struct {
	// File is the name of the archive, empty if unknown.
	File string
	// Section is the part that is broken: "header", "trailer", "index", "meta",
	// "structure", "columns" or "timing", often with the part of the section
	// ("structure/grammars") and the number of the item.
	Section string
	// Offset is where: in the file for errors of a section as a whole, and in
	// the section's decompressed content for errors inside of it; -1 if
	// the error is at no particular place.
	Offset int64
	// Msg says what is wrong, Hint what to do about it.
	Msg, Hint string
}

// Error gives all of it on one line.
func (e *FormatError) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File + ": ")
	}
	b.WriteString("broken archive: ")
	if e.Section != "" {
		b.WriteString(e.Section)
		if e.Offset >= 0 {
			fmt.Fprintf(&b, ", offset %d", e.Offset)
		}
		b.WriteString(": ")
	}
	b.WriteString(e.Msg)
	if e.Hint != "" {
		b.WriteString(" (" + e.Hint + ")")
	}
	return b.String()
}

const (
	hintDamaged = "the file was damaged after it was written, or by a bug of the writer: copy it again, or record again"
	hintNewer   = "it was written by a newer tabard: read it with that version or a later one"
	hintLimit   = "raise the limit with trace.MaxSection if you trust the file and have the memory"
	hintWork    = "raise the limit with trace.MaxWork if you trust the file"
)

// broken makes a FormatError about content.
func broken(section string, offset int64, format string, args ...any) *FormatError {
	return &FormatError{Section: section, Offset: offset, Msg: fmt.Sprintf(format, args...), Hint: hintDamaged}
}

// named turns an error of the container into a FormatError and fills in the
// name of the file.
func named(err error, file string) error {
	var ce *container.Error
	if errors.As(err, &ce) {
		err = &FormatError{Section: ce.Section, Offset: ce.Offset, Msg: ce.Msg, Hint: ce.Hint}
	}
	var fe *FormatError
	if errors.As(err, &fe) {
		if fe.File == "" {
			fe.File = file
		}
		return err
	}
	if err != nil && file != "" {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return err
}

// within says where an error is. The error itself is not changed.
func within(err error, format string, args ...any) error {
	var fe *FormatError
	if errors.As(err, &fe) {
		e := *fe
		e.Msg = fmt.Sprintf(format, args...) + ": " + fe.Msg
		return &e
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}
