package consistency

import (
	"fmt"
	"strings"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/spec"
)

// types notes a message that is received as elements of another size than it was sent as: bytes are the same then, but
// not what they mean. Bytes and packed data fit to all types, and pairs and complex numbers to what they are made of.
// Types of equal size have many names.
func (c *checker) types(m *match.Message) error {
	if m.Bytes == 0 { // there are no elements
		return nil
	}
	from, err := c.call(&m.Send.Post)
	if err != nil {
		return err
	}
	to, err := c.call(&m.Recv.Post)
	if err != nil || from.sent == to.received || !element(from.sent) || !element(to.received) {
		return err
	}
	sent, received := calls.PredefinedSize(from.sent), calls.PredefinedSize(to.received)
	if sent == received {
		return nil
	}
	at := to.f.Name
	c.add(Problem{Kind: Types, Func: at, Site: to.site, Text: fmt.Sprintf(
		"process %d receives elements of %d bytes (%s), and process %d sends those of %d bytes (%s) in %s",
		m.Recv.Process, received, typeName(to.received), m.Send.Process, sent, typeName(from.sent),
		strings.TrimSuffix(from.f.Name+" at "+from.site, " at "))}, m.Recv.Process)
	return nil
}

// element tells whether a predefined datatype is of one number.
func element(ref int64) bool {
	if ref <= 0 || calls.PredefinedSize(ref) <= 1 {
		return false
	}
	name := typeName(ref)
	pair := strings.Contains(name, "_2") || strings.HasSuffix(name, "_INT") && strings.Count(name, "_") > 1
	return !pair && !strings.Contains(name, "COMPLEX")
}

func typeName(ref int64) string { return spec.Predefineds[ref>>1].Name }
