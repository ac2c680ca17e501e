package main

import (
	"fmt"
	"strings"
)

// Wrappers of functions of the C library (spec/posixio). They differ from those of MPI: they have to be as
// good as not there while no I/O is recorded, only the I/O on regular files is, a call that names a file can
// be told from others only when it has returned, and most have several symbols. The return code of a record
// is errno, 0 after success.

const libcAPI = "posixio"

// libcFields are what a row of such a function says of its wrapper: C statements and expressions, in which tb_r is what
// the function returned, tb_on the descriptor below what it was called on, tb_at a position in the file, tb_n what
// Measure says.
type libcFields struct {
	Aliases  []string   `json:"aliases"`  // other symbols for the same
	Variants []*variant `json:"variants"` // other symbols with other parameters
	ByHand   bool       `json:"by_hand"`  // no wrapper is generated
	Pseudo   bool       `json:"pseudo"`   // it is no function, but a record of the runtime's own
	On       string     `json:"on"`       // which parameter it is called on, if there are several descriptors
	Any      string     `json:"any"`      // before the call, if I/O is recorded at all
	After    string     `json:"after"`    // after the call: sets tb_is, whether it is recorded
	Track    string     `json:"track"`    // after a call on a file that is recorded
	Measure  string     `json:"measure"`  // what tb_n is after the call
	Fails    string     `json:"fails"`    // that the call failed; by default negative, or NULL
	Code     string     `json:"code"`     // its error code; by default errno
	symbolFields
}

// symbolFields are what may differ between the symbols of a function.
type symbolFields struct {
	Args     string `json:"args"` // that are passed on, by default the parameters
	Prologue string `json:"prologue"`
	Epilogue string `json:"epilogue"`
	Real     string `json:"real"` // the function that is called, by default that of the same name
}

type variant struct {
	Name string `json:"name"`
	C    string `json:"c"` // its parameters in C
	symbolFields
}

// libcSymbol is one exported symbol for the template posixio.c.tmpl.
type libcSymbol struct {
	*Func
	Symbol, C, Pass, Signature   string
	Enter, Leave, RealName       string
	Open                         bool     // named by a path: recorded when it has returned
	Number                       string   // expression of tb_on
	Entry, Exit                  []string // statements
	Names                        []string // parameters that are texts
	EntryWords, ExitWords        int
	FailsIf, ErrorCode           string
	UsesOn, UsesAt, ReturnsValue bool
}

// libcWrappers makes capture/posixio/gen/wrap.c.
func libcWrappers(api *API) ([]byte, error) {
	var data struct {
		Symbols []*libcSymbol
		Reals   []string
	}
	seen := map[string]bool{}
	real := func(name string) {
		if !seen[name] {
			seen[name] = true
			data.Reals = append(data.Reals, name)
		}
	}
	for _, f := range api.Funcs {
		if f.API != libcAPI || f.ByHand {
			continue
		}
		list, err := f.libcSymbols()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		for _, s := range list {
			real(s.RealName)
		}
		data.Symbols = append(data.Symbols, list...)
	}
	return fill("posixio.c.tmpl", data)
}

// libcSymbols are the symbols of one function, its own name first.
func (f *Func) libcSymbols() ([]*libcSymbol, error) {
	var c, pass, types []string
	for _, p := range f.Params {
		if p.Value != "" && p.Out || p.Value != "" && p.Codec == "Handle" {
			continue
		}
		switch {
		case p.Variadic:
			c, types = append(c, "..."), append(types, p.Type)
		case p.Type == "...":
			c, types = append(c, "..."), append(types, "va_list")
			continue
		default:
			c, types = append(c, declaration(p.Type, p.Name)), append(types, p.Type)
		}
		pass = append(pass, p.Name)
	}
	own := &libcSymbol{Func: f, Symbol: f.Name, C: strings.Join(c, ", "), Pass: strings.Join(pass, ", ")}
	if err := own.body(); err != nil {
		return nil, err
	}
	own.symbol(f.symbolFields)
	list := []*libcSymbol{own}
	for _, v := range f.Variants {
		s := *own
		s.Symbol, s.C = v.Name, v.C
		s.symbol(symbolFields{Args: v.Args, Prologue: or(v.Prologue, f.Prologue), Epilogue: or(v.Epilogue, f.Epilogue),
			Real: or(v.Real, v.Name)})
		s.Func = &Func{rawFunc: &rawFunc{Name: f.Name, Ret: f.Ret}}
		s.libcFieldsOf(f)
		list = append(list, &s)
	}
	for _, s := range list {
		if s.C == "" {
			s.C = "void"
		}
	}
	return list, nil
}

// libcFieldsOf takes over what all symbols of a function share, but for the aliases.
func (s *libcSymbol) libcFieldsOf(f *Func) {
	s.Func.libcFields = f.libcFields
	s.Func.Aliases = nil
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// declaration declares a parameter of a type.
func declaration(typ, name string) string {
	base := strings.TrimRight(typ, "*")
	if stars := typ[len(base):]; stars != "" {
		return base + " " + stars + name
	}
	return base + " " + name
}

func (s *libcSymbol) symbol(x symbolFields) {
	s.Pass = or(x.Args, s.Pass)
	s.Enter, s.Leave = x.Prologue, x.Epilogue
	s.RealName = or(x.Real, s.Symbol)
}

// body works out what is recorded, which is the same for all symbols.
func (s *libcSymbol) body() error {
	f := s.Func
	s.ReturnsValue = f.Ret != "void"
	s.FailsIf, s.ErrorCode = f.Fails, or(f.Code, "tb_e")
	switch {
	case s.FailsIf != "":
	case f.Ret == "void":
		s.FailsIf = "0"
	case strings.HasSuffix(f.Ret, "*"):
		s.FailsIf = "tb_r == NULL"
	default:
		s.FailsIf = "tb_r < 0"
	}
	for i := range f.Slots {
		sl := &f.Slots[i]
		p := f.Params[sl.Param]
		x := or(p.Value, p.Name)
		if !sl.Out && sl.Codec == "Handle" {
			if s.Number == "" || f.On == p.Name {
				s.Number = map[string]string{"Fd": "tb_io_fd(%s)", "Stream": "tb_io_stream(%s)",
					"Directory": "tb_io_directory(%s)", "Mapping": "tb_io_mapping(%s)"}[sl.Class]
				if sl.Life == "Free" {
					s.Number = strings.Replace(s.Number, "tb_io_", "tb_io_known_", 1)
				}
				s.Number = strings.Replace(fmt.Sprintf(s.Number, x), "tb_io_known_fd", "tb_io_known", 1)
			}
			if f.On == "" || f.On == p.Name {
				x = "(uint64_t)tb_on"
			}
			if sl.Class == "Mapping" {
				x = "(uintptr_t)" + p.Name
			}
		}
		statement := fmt.Sprintf("tb_put_int(&tb_c, %s);", x)
		if sl.Codec == "String" {
			statement = fmt.Sprintf("tb_io_put_string(&tb_c, %s, %d);", x, p.Index)
			s.Names = append(s.Names, p.Name)
		}
		to, words := &s.Entry, &s.EntryWords
		if sl.Out {
			to, words = &s.Exit, &s.ExitWords
		}
		*to, *words = append(*to, statement), *words+sl.words()
		if sl.Codec == "String" {
			*to = append(*to, room(f.Slots[i:])...)
		}
		s.UsesAt = s.UsesAt || strings.Contains(x, "tb_at")
	}
	s.Open = s.Number == ""
	s.UsesAt = s.UsesAt || strings.Contains(f.Track, "tb_at")
	s.UsesOn = !s.Open || strings.Contains(f.After, "tb_on")
	if s.Open && f.After == "" && f.Name != "tmpfile" {
		s.Func.After = "tb_is = tb_io_named(path, TB_CALLER);"
	}
	return nil
}
