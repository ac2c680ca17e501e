package proxy

import (
	"fmt"
	"maps"
	"strings"
)

// valueFunctions are the C functions that give values at a rank, in the order in which they can be written.
type valueFunctions []valueFunction

type valueFunction struct{ name, text string }

// add appends a function without parameters. The body has one level of indentation.
func (v *valueFunctions) add(name, ctype, body string) {
	*v = append(*v, valueFunction{name, fmt.Sprintf("static %s%s(void)\n{\n%s\n}\n\n", ctype, name, strings.TrimSuffix(body, "\n"))})
}

// String is the text of all of them.
func (v valueFunctions) String() string {
	var b strings.Builder
	for _, f := range v {
		b.WriteString(f.text)
	}
	return b.String()
}

// usedBy is the text of those that a text calls, directly or through others. Some have no caller in the end: what
// called them turned out to be the same as something else.
func (v valueFunctions) usedBy(text string) string {
	kept := make([]string, len(v))
	names := called(text)
	for i := len(v) - 1; i >= 0; i-- { // a function calls none that follow it
		if names[v[i].name] {
			kept[i] = v[i].text
			maps.Copy(names, called(v[i].text))
		}
	}
	return strings.Join(kept, "")
}
