package resolve

import (
	"debug/dwarf"
	"debug/elf"
	"encoding/hex"
	"path/filepath"
	"strings"
)

// debugInfo is the DWARF information of a file.
type debugInfo struct {
	*dwarf.Data
	str []byte // .debug_str
	im  *image
	// alt is the file that dwz moved to what several files have in common, nil if there is none;
	// altOpened says that it was looked for.
	alt       *debugInfo
	altOpened bool
}

// close closes the other file. That of d itself is the caller's.
func (d *debugInfo) close() {
	if d.alt != nil {
		d.alt.im.close()
	}
}

// dwarf opens the debug information of im, nil if there is none or if it
// cannot be had in bounded memory.
func (im *image) dwarf() *debugInfo {
	if im.f.Type == elf.ET_REL {
		return nil
	}
	sections := map[string][]byte{}
	left := uint64(maxDecompressed)
	for _, s := range im.f.Sections {
		name, ok := strings.CutPrefix(s.Name, ".debug_")
		if !ok {
			name, ok = strings.CutPrefix(s.Name, ".zdebug_")
		}
		if !ok {
			continue
		}
		switch name {
		case "abbrev", "info", "line", "ranges", "str", "addr", "line_str", "rnglists", "str_offsets":
		default:
			continue
		}
		data := im.section(s, left)
		if data == nil {
			return nil
		}
		if s.Flags&elf.SHF_COMPRESSED != 0 || isZdebug(s.Name) {
			left -= uint64(len(data))
		}
		sections[name] = data
	}
	if sections["info"] == nil {
		return nil
	}
	d, err := dwarf.New(sections["abbrev"], nil, nil, sections["info"], sections["line"], nil, sections["ranges"],
		sections["str"])
	if err != nil {
		return nil
	}
	for _, name := range []string{"addr", "line_str", "rnglists", "str_offsets"} {
		if data := sections[name]; data != nil && d.AddSection(".debug_"+name, data) != nil {
			return nil
		}
	}
	return &debugInfo{Data: d, str: sections["str"], im: im}
}

// alternate is the debug information of the file that .gnu_debugaltlink names, nil if there is none
// that fits. It is opened when something in it is asked for.
func (d *debugInfo) alternate() *debugInfo {
	if d.altOpened {
		return d.alt
	}
	d.altOpened = true
	name, id := d.im.altLink()
	if name == "" || id == "" {
		return nil
	}
	if !filepath.IsAbs(name) {
		dir := d.im.file.Name()
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		name = filepath.Join(filepath.Dir(dir), name)
	}
	for _, c := range append([]string{name}, byBuildID(id)...) {
		im, err := openImage(c)
		if err != nil {
			continue
		}
		if im.buildID() == id {
			if d.alt = im.dwarf(); d.alt != nil {
				d.alt.altOpened = true // it refers to no third one
				return d.alt
			}
		}
		im.close()
	}
	return nil
}

// altLink is the path and the build id in .gnu_debugaltlink.
func (im *image) altLink() (name, id string) {
	b := im.small(".gnu_debugaltlink")
	name, rest, ok := strings.Cut(string(b), "\x00")
	if !ok {
		return "", ""
	}
	return name, hex.EncodeToString([]byte(rest))
}
