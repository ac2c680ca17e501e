package archive

import (
	"encoding/json"
	"math"
	"strconv"
)

// MarshalJSON gives the call as an object with the members, in this order,
//
//	index, rank, thread, func   number, numbers, name of the function
//	in, out                     objects: parameter -> value; out may hold "return"
//	ret                         the return code, a number
//	error                       its name, only if the call failed
//	flags                       list of "nested", "failed", "unfinished", "poll"; "own" for a record of
//	                            Tabard, which is no call of the program; only if not empty
//	site                        list of frames {func, file, line, module, offset}, innermost
//	                            first; only if known
//	start_ns, end_ns            since the start of the trace; only with timing
//
// A value is a number; a string for a named constant ("MPI_ANY_SOURCE"), an object
// ("MPI_COMM_WORLD", "comm#1"), an address ("heap#3+64") or a string; a list; an object {source,
// tag, bytes, error, cancelled} for a status, with a member ignored if the program did not ask for
// it (Value.Ignored); or null if it is not known or not significant. Floats that JSON lacks are
// strings. Members may be added at the end of an object; none changes its meaning.
func (c *Call) MarshalJSON() ([]byte, error) {
	j := jsonWriter{printer{abi: c.abi()}}
	j.raw(`{"index":`)
	j.b = strconv.AppendUint(j.b, c.Index, 10)
	if c.stream != nil {
		j.member(`,"rank":`, int64(c.stream.Rank().Rank))
		j.member(`,"thread":`, int64(c.stream.thread))
	}
	j.raw(`,"func":`)
	j.string(c.Func.Name)
	j.raw(`,"in":{`)
	j.values(c, 0, c.Func.NumIn)
	j.raw(`},"out":{`)
	j.values(c, c.Func.NumIn, len(c.Func.Slots))
	j.member(`},"ret":`, int64(c.Ret))
	if e := c.ErrorName(); e != "" {
		j.raw(`,"error":`)
		j.string(e)
	}
	j.flags(c)
	if c.Site != nil && len(c.Site.Frames) > 0 {
		j.site(c.Site)
	}
	if c.Timed {
		j.member(`,"start_ns":`, int64(c.Start))
		j.member(`,"end_ns":`, int64(c.End))
	}
	j.raw("}")
	return j.b, nil
}

type jsonWriter struct{ printer }

func (j *jsonWriter) raw(s string) { j.b = append(j.b, s...) }

func (j *jsonWriter) member(prefix string, n int64) {
	j.raw(prefix)
	j.b = strconv.AppendInt(j.b, n, 10)
}

// string cannot fail: invalid UTF-8 becomes the replacement character.
func (j *jsonWriter) string(s string) {
	b, err := json.Marshal(s)
	if err != nil {
		panic("trace: internal error: a string that is no JSON: " + err.Error())
	}
	j.b = append(j.b, b...)
}

func (j *jsonWriter) flags(c *Call) {
	between := `,"flags":[`
	add := func(name string) {
		j.raw(between)
		j.string(name)
		between = ","
	}
	for i, name := range flagNames {
		if c.Flags&(1<<i) != 0 {
			add(name)
		}
	}
	if c.Func.Own() {
		add("own")
	}
	if between == "," {
		j.raw("]")
	}
}

// flagNames are the names of Flags, from bit 0 on.
var flagNames = []string{"nested", "failed", "unfinished", "poll"}

func (j *jsonWriter) site(s *Site) {
	j.raw(`,"site":[`)
	for i := range s.Frames {
		f := &s.Frames[i]
		if i > 0 {
			j.raw(",")
		}
		j.raw(`{"func":`)
		j.string(f.Func)
		j.raw(`,"file":`)
		j.string(f.File)
		j.member(`,"line":`, int64(f.Line))
		j.member(`,"module":`, int64(f.Module))
		j.raw(`,"offset":`)
		j.b = strconv.AppendUint(j.b, f.Offset, 10)
		j.raw("}")
	}
	j.raw("]")
}

// values writes the slots from..to as members.
func (j *jsonWriter) values(c *Call, from, to int) {
	for i := from; i < to; i++ {
		if i > from {
			j.raw(",")
		}
		j.string(SlotName(c.Func, &c.Func.Slots[i]))
		j.raw(":")
		j.value(c, i, &c.Slots[i])
	}
}

func (j *jsonWriter) value(c *Call, i int, v *Value) {
	s := &c.Func.Slots[i]
	switch v.Kind {
	case Absent, Hole:
		j.raw("null")
	case Int:
		j.number(c, i, v.N)
	case Float:
		x := math.Float64frombits(uint64(v.N))
		if math.IsNaN(x) || math.IsInf(x, 0) {
			j.string(strconv.FormatFloat(x, 'g', -1, 64))
		} else {
			j.b = strconv.AppendFloat(j.b, x, 'g', -1, 64)
		}
	case Str:
		j.string(v.Str)
	case Ints:
		j.raw("[")
		for k, x := range v.Ints {
			if k > 0 {
				j.raw(",")
			}
			j.number(c, i, x)
		}
		j.raw("]")
	case List:
		j.raw("[")
		for k := range v.List {
			if k > 0 {
				j.raw(",")
			}
			e := v.List[k]
			e.Ignored = v.Ignored
			j.value(c, i, &e)
		}
		j.raw("]")
	case Stat:
		j.status(&v.Stat, v.Ignored)
	case Addr:
		if v.Mem == Literal && v.N != 0 && constantName(j.abi, c.Func, s, v.N) == "" {
			j.member("", v.N)
			return
		}
		j.string(FormatValue(j.abi, c.Func, s, v))
	default:
		j.string(FormatValue(j.abi, c.Func, s, v))
	}
}

func (j *jsonWriter) number(c *Call, i int, n int64) {
	if name := constantName(j.abi, c.Func, &c.Func.Slots[i], n); name != "" {
		j.string(name)
		return
	}
	j.member("", n)
}

func (j *jsonWriter) status(s *Status, ignored bool) {
	j.member(`{"source":`, int64(s.Source))
	j.member(`,"tag":`, int64(s.Tag))
	j.member(`,"bytes":`, s.Bytes)
	j.member(`,"error":`, int64(s.Error))
	j.raw(`,"cancelled":` + strconv.FormatBool(s.Cancelled))
	if ignored {
		j.raw(`,"ignored":true`)
	}
	j.raw("}")
}
