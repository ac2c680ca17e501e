package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"path/filepath"
	"slices"
	"strings"
)

// An Enum is a set of words that functions are described with, and the Go type that it becomes.
type Enum struct {
	Type, Prefix, About string
	Words               []Word
}

// Word is one value of an Enum. Needs are the roles that each function must have that it is said
// of.
type Word struct {
	Name, About string
	Needs       []string
}

// Vocabulary is spec/vocabulary.txt: its enumerations by the names of their types.
type Vocabulary struct {
	Enums  []*Enum
	byType map[string]*Enum
}

// word finds a word; nil if there is none.
func (v *Vocabulary) word(typ, name string) *Word {
	ws := v.byType[typ].Words
	if i := slices.IndexFunc(ws, func(w Word) bool { return w.Name == name }); i >= 0 {
		return &ws[i]
	}
	return nil
}

// constant is the Go identifier of a word.
func (v *Vocabulary) constant(typ, name string) (string, error) {
	if v.word(typ, name) == nil {
		return "", fmt.Errorf("unknown %s %q: spec/vocabulary.txt has no such word", strings.ToLower(typ), name)
	}
	return v.byType[typ].Prefix + camel(name), nil
}

// camel turns "rank_size" to "RankSize".
func camel(name string) string {
	var b strings.Builder
	for _, part := range strings.Split(name, "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

// classOrder is the classes of objects in the order of their numbers, without NoClass. Loading sets
// it.
var classOrder []string

// described are the types that functions are described with; there must be no other and none may be
// missing.
var described = []string{"Shape", "Operation", "Which", "SendMode", "Flow", "Data", "Vector", "Outcome", "Activity",
	"Role",
	"Class"}

func loadVocabulary(dir string) (*Vocabulary, error) {
	v := &Vocabulary{byType: map[string]*Enum{}}
	err := lines(filepath.Join(dir, "vocabulary.txt"), func(l string) error {
		if l[0] == '[' {
			return v.enum(l)
		}
		if len(v.Enums) == 0 {
			return errors.New("word outside of an enumeration")
		}
		e := v.Enums[len(v.Enums)-1]
		head, about, ok := strings.Cut(l, ":")
		if !ok { // the head goes on
			if len(e.Words) > 0 {
				return errors.New("want a word and what it means")
			}
			e.About += "\n// " + l
			return nil
		}
		name, needs, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(head), ")"), "(")
		w := Word{Name: strings.TrimSpace(name), About: strings.TrimSpace(about), Needs: strings.Fields(needs)}
		if w.Name == "" || w.About == "" || strings.ContainsAny(w.Name, " \t") {
			return errors.New("want a word and what it means")
		}
		if v.word(e.Type, w.Name) != nil {
			return fmt.Errorf("%s occurs twice", w.Name)
		}
		e.Words = append(e.Words, w)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := v.check(); err != nil {
		return nil, err
	}
	classOrder = v.classes()
	return v, nil
}

// enum begins an enumeration: "[Type Prefix] About".
func (v *Vocabulary) enum(l string) error {
	head, about, ok := strings.Cut(l[1:], "]")
	w := strings.Fields(head)
	if !ok || len(w) == 0 || len(w) > 2 || !slices.Contains(described, w[0]) || v.byType[w[0]] != nil {
		return errors.New("want [type prefix], each type once, of " + strings.Join(described, ", "))
	}
	e := &Enum{Type: w[0], Prefix: strings.Join(w[1:], ""), About: strings.TrimSpace(about)}
	v.Enums = append(v.Enums, e)
	v.byType[e.Type] = e
	return nil
}

func (v *Vocabulary) check() error {
	for _, t := range described {
		if v.byType[t] == nil || len(v.byType[t].Words) == 0 || len(v.byType[t].Words) > 255 {
			return fmt.Errorf("vocabulary.txt: %s has no words, or too many", t)
		}
	}
	for _, e := range v.Enums {
		for _, w := range e.Words {
			for _, r := range w.Needs {
				if v.word("Role", r) == nil {
					return fmt.Errorf("vocabulary.txt: %s needs an unknown role %s", w.Name, r)
				}
			}
		}
	}
	return nil
}

// goVocabulary emits spec/vocabulary_gen.go.
func goVocabulary(v *Vocabulary) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(generated + "\npackage spec\n")
	for _, e := range v.Enums {
		fmt.Fprintf(&b, "\n// %s\ntype %s uint8\n\n// Values of %s.\nconst (\n", e.About, e.Type, e.Type)
		first := " " + e.Type + " = iota"
		for _, w := range e.Words {
			fmt.Fprintf(&b, "%s%s%s // %s\n", e.Prefix, camel(w.Name), first, w.About)
			first = ""
		}
		names := "num" + e.Type + "s"
		if e.Type == "Class" {
			names = "NumClasses"
		}
		fmt.Fprintf(&b, "%s\n)\n\nvar names%s = [...]string{", names, e.Type)
		for _, w := range e.Words {
			fmt.Fprintf(&b, "%q, ", w.Name)
		}
		fmt.Fprintf(&b, "}\n\n// String is the word as in spec/vocabulary.txt.\nfunc (x %s) String() string {\n",
			e.Type)
		fmt.Fprintf(&b, "if int(x) < len(names%s) {\nreturn names%s[x]\n}\nreturn \"unknown\"\n}\n", e.Type, e.Type)
	}
	return format.Source(b.Bytes())
}
