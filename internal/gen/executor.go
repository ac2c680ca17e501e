package main

import (
	"fmt"
	"strings"
)

// executorObjects makes internal/program/replay/executor/objects.h: classes and
// predefined objects as the replay executor needs them, which is by index, under
// every name that a library has for an object.
func executorObjects(api *API) ([]byte, error) {
	data := struct {
		Classes []string
		Widths  []cWidths
		Objects []cObject
		Own     []numbered
	}{Own: api.among("MPI_COMM_WORLD", "MPI_COMM_SELF", "MPI_BYTE", "MPI_ERRORS_ARE_FATAL")}
	for _, c := range classOrder {
		data.Classes = append(data.Classes, strings.ToUpper(c))
	}
	for _, a := range api.ABIs {
		data.Widths = append(data.Widths, handleBytes(a))
	}
	for i := range data.Own {
		data.Own[i].Name = strings.TrimPrefix(data.Own[i].Name, "MPI_")
	}
	for i, p := range api.Predefineds {
		if p.Value != 0 {
			continue
		}
		o := cObject{Index: i, Class: strings.ToUpper(p.Class), Symbol: "NULL", Name: p.Name}
		if p.Null {
			o.Null = 1
		}
		if s := api.ABIs[0].Symbols[p.Name]; s != "" {
			o.Symbol = `"` + s + `"`
		}
		for _, a := range api.ABIs {
			value := "RP_NO_HANDLE"
			if v, ok := a.Handles[p.Name]; ok {
				value = fmt.Sprintf("%#x", v)
			}
			o.Values = append(o.Values, value)
		}
		data.Objects = append(data.Objects, o)
	}
	return fill("objects.h.tmpl", data)
}

// cWidths are the bytes of handles in an ABI, in the order of the classes.
type cWidths struct {
	ABI   string
	Bytes []int
}

func handleBytes(a *ABI) cWidths {
	w := cWidths{ABI: a.ABI}
	for _, c := range classOrder {
		n := a.Sizes["handle"]
		switch {
		case wide(c):
			n = 8
		case c == "Keyval":
			n = 4
		}
		w.Bytes = append(w.Bytes, n)
	}
	return w
}

// cObject is a predefined object as C constants, with its values by ABI.
type cObject struct {
	Index, Null         int
	Class, Symbol, Name string
	Values              []string
}
