package render

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// hostile is what a recording that somebody made may hold.
const hostile = "a\x1b[2J\x1b]0;owned\a\r\x08\x7f\u009b31m\u202eevil\u2066\u200f\u2028\xff\xc3(\x00z"

func TestCleaner(t *testing.T) {
	const want = `a\x1b[2J\x1b]0;owned\x07\r\x08\x7f\u009b31m\u202eevil\u2066\u200f\u2028\xff\xc3(\x00z`
	for size := 1; size <= len(hostile); size++ {
		var b bytes.Buffer
		c := NewCleaner(&b)
		for s := hostile; s != ""; {
			n := min(size, len(s))
			if k, err := c.Write([]byte(s[:n])); k != n || err != nil {
				t.Fatal(k, err)
			}
			s = s[n:]
		}
		if err := c.Flush(); err != nil || b.String() != want {
			t.Fatalf("in pieces of %d: %q, %v", size, b.String(), err)
		}
	}
	if got := OneLine(hostile + "\n\t"); got != want+`\n\t` {
		t.Errorf("OneLine: %q", got)
	}
	for _, s := range []string{"", "plain", "größer → 1.5 µs ▁▂█", "日本語", "tab\tand\nlines\n"} {
		var b bytes.Buffer
		c := NewCleaner(&b)
		c.Write([]byte(s))
		if c.Flush(); b.String() != s {
			t.Errorf("%q became %q", s, b.String())
		}
	}
}

// Our own colours pass, those of others do not, however writes are cut.
func TestCleanerColours(t *testing.T) {
	text := Paint("31;1", "fail") + "\x1b[32mok\x1b" + secret[:3]
	for size := 1; size <= len(text); size++ {
		var b bytes.Buffer
		c := NewCleaner(&b)
		for at := 0; at < len(text); at += size {
			c.Write([]byte(text[at:min(at+size, len(text))]))
		}
		c.Flush()
		if want := "\x1b[31;1mfail\x1b[0m" + `\x1b[32mok\x1b` + secret[:3]; b.String() != want {
			t.Fatalf("in pieces of %d: %q, want %q", size, b.String(), want)
		}
	}
}

func TestJSONCleaner(t *testing.T) {
	for _, s := range []string{hostile, "\U000e0041\u2029\"\\", "größer"} {
		var b bytes.Buffer
		c := NewJSONCleaner(&b)
		e := json.NewEncoder(c)
		e.SetEscapeHTML(false)
		if err := e.Encode(s); err != nil {
			t.Fatal(err)
		}
		harmless(t, strings.TrimSuffix(b.String(), "\n"))
		var back string
		if err := json.Unmarshal(b.Bytes(), &back); err != nil || back != string([]rune(s)) {
			t.Errorf("%q came back as %q, %v", s, back, err)
		}
	}
}

func harmless(t *testing.T, s string) {
	t.Helper()
	for _, r := range s {
		if !utf8.ValidString(s) || !unicode.IsGraphic(r) {
			t.Fatalf("%q holds %q", s, r)
		}
	}
}

// Whatever comes, in whatever pieces: nothing that a terminal obeys, and nothing is lost.
func TestCleanerAnything(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		raw := make([]byte, rng.IntN(40))
		for i := range raw {
			raw[i] = byte(rng.IntN(256))
			if rng.IntN(3) == 0 {
				raw[i] = []byte("\x1b\xe2\x80\xae\xc2\x9b")[rng.IntN(6)]
			}
		}
		var b bytes.Buffer
		c := NewCleaner(&b)
		for at := 0; at < len(raw); {
			n := 1 + rng.IntN(len(raw)-at)
			c.Write(raw[at : at+n])
			at += n
		}
		c.Flush()
		harmless(t, strings.NewReplacer("\n", "", "\t", "").Replace(b.String()))
		if one := strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(b.String()); one != OneLine(string(raw)) {
			t.Fatalf("%q: %q in pieces, %q at once", raw, one, OneLine(string(raw)))
		}
	}
}
