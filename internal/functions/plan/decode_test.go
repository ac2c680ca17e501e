package plan

import (
	"bufio"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// libraries are images that any machine with a C compiler has.
func libraries(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, name := range []string{"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "libgfortran.so.5"} {
		out, err := exec.Command("gcc", "-print-file-name="+name).Output()
		if path := strings.TrimSpace(string(out)); err == nil && strings.HasPrefix(path, "/") {
			found = append(found, path)
		}
	}
	if len(found) == 0 {
		t.Fatal("no gcc")
	}
	return found
}

// The lengths of all instructions of real libraries are those that objdump tells.
func TestDecodeAsObjdump(t *testing.T) {
	for _, path := range libraries(t) {
		im, err := open(path)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("objdump", "-d", "-w", "-j", ".text", path)
		out, err := cmd.StdoutPipe()
		if err != nil || cmd.Start() != nil {
			t.Fatal("no objdump")
		}
		compared, wrong := 0, 0
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			at, bytes, text, ok := disassembled(lines.Text())
			if !ok {
				continue
			}
			compared++
			in, ok := decode(im.codeAt(at))
			if strings.Contains(text, "(bad)") != !ok || ok && in.length != bytes {
				if wrong++; wrong < 10 {
					t.Logf("%s %s: decoded %d bytes, %v", path, lines.Text(), in.length, ok)
				}
			}
		}
		cmd.Wait()
		if compared < 1000 || wrong > compared/10000 {
			t.Errorf("%s: %d of %d instructions differ", path, wrong, compared)
		}
	}
}

// disassembled reads a line of objdump. It breaks prefixes that nothing needs off as lines of their own.
func disassembled(line string) (at uint64, bytes int, text string, ok bool) {
	parts := strings.SplitN(line, "\t", 3)
	if len(parts) < 3 {
		return 0, 0, "", false
	}
	at, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(parts[0]), ":"), 16, 64)
	text = parts[2]
	alone := strings.TrimSpace(text)
	switch alone {
	case "data16", "lock", "repz", "repnz", "cs", "ds", "es", "ss", "addr32", "fwait":
		return 0, 0, "", false
	}
	bytes = len(strings.Fields(parts[1]))
	// It takes fwait and what follows for one.
	return at, bytes, text, err == nil && !strings.HasPrefix(alone, "rex") && !strings.HasPrefix(parts[1], "9b ")
}
