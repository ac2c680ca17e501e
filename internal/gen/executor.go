package main

import (
	"bytes"
	"fmt"
	"strings"
)

// executorObjects emits internal/replay/executor/objects.h: classes and
// predefined objects as the replay executor needs them, which is by index, under
// every name that a library has for an object.
func executorObjects(api *API) []byte {
	var b bytes.Buffer
	b.WriteString(generatedC + "#ifndef TABARD_REPLAY_OBJECTS_H\n#define TABARD_REPLAY_OBJECTS_H\n#include <stdint.h>\n\n" +
		"/* Classes of objects, by their numbers in recordings (spec.Class). */\nenum {\n    RP_CLASS_NONE,\n")
	for _, c := range classOrder {
		fmt.Fprintf(&b, "    RP_CLASS_%s,\n", strings.ToUpper(c))
	}
	b.WriteString("    RP_NUM_CLASSES\n};\n\n" +
		"/* Bytes of a handle, by kind of library (struct tb_abi) and class. */\n" +
		"static const unsigned char rp_handle_bytes[][RP_NUM_CLASSES] = {\n    {0},\n")
	for _, a := range api.ABIs {
		b.WriteString("    {0")
		for _, c := range classOrder {
			n := a.Sizes["handle"]
			switch {
			case wide(c):
				n = 8
			case c == "Keyval":
				n = 4
			}
			fmt.Fprintf(&b, ", %d", n)
		}
		fmt.Fprintf(&b, "}, /* %s */\n", a.ABI)
	}
	b.WriteString("};\n\n/* Predefined objects by index in spec.Predefineds. symbol: the handle is its address in Open MPI. values: by\n" +
		" * kind of library, RP_NO_HANDLE where it has no such number. */\n#define RP_NO_HANDLE UINT64_C(0x8000000000000000)\n" +
		"static const struct rp_predefined {\n    unsigned char class, null;\n    const char *symbol;\n    uint64_t values[4];\n} rp_predefineds[] = {\n")
	for i, p := range api.Predefineds {
		symbol, null := "NULL", 0
		if s := api.ABIs[0].Symbols[p.Name]; s != "" {
			symbol = `"` + s + `"`
		}
		if p.Null {
			null = 1
		}
		fmt.Fprintf(&b, "    [%d] = {RP_CLASS_%s, %d, %s, {RP_NO_HANDLE", i, strings.ToUpper(p.Class), null, symbol)
		for _, a := range api.ABIs {
			if v, ok := a.Handles[p.Name]; ok {
				fmt.Fprintf(&b, ", %#x", v)
			} else {
				b.WriteString(", RP_NO_HANDLE")
			}
		}
		fmt.Fprintf(&b, "}}, /* %s */\n", p.Name)
	}
	fmt.Fprintf(&b, "};\nenum { RP_NUM_PREDEFINEDS = %d };\n\n", len(api.Predefineds))
	b.WriteString("enum {\n")
	for i, p := range api.Predefineds {
		switch p.Name {
		case "MPI_COMM_WORLD", "MPI_COMM_SELF", "MPI_BYTE", "MPI_ERRORS_ARE_FATAL":
			fmt.Fprintf(&b, "    RP_%s = %d,\n", strings.TrimPrefix(p.Name, "MPI_"), i)
		}
	}
	b.WriteString("};\n\n#endif\n")
	return b.Bytes()
}
