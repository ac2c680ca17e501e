package archivetest

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// poisonStrings adds to every string of a recording that a program, or whoever wrote the file, may choose.
func poisonStrings(v reflect.Value, with string, seen map[any]bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || seen[v.Interface()] {
			return
		}
		seen[v.Interface()] = true
		poisonStrings(v.Elem(), with, seen)
	case reflect.Struct:
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; v.Type().Field(i).IsExported() && name != "BuildID" && name != "Key" {
				poisonStrings(v.Field(i), with, seen)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			poisonStrings(v.Index(i), with, seen)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			if v.Type().Elem().Kind() == reflect.String && k.String() != "timing" {
				v.SetMapIndex(k, reflect.ValueOf(v.MapIndex(k).String()+with))
			}
		}
	case reflect.String:
		if v.CanSet() && v.String() != "" {
			v.SetString(v.String() + with)
		}
	}
}

// Poisoned is an archive with all strings followed by another, that a program or whoever wrote the file may have
// chosen.
func Poisoned(t testing.TB, clean []byte, with string) []byte {
	t.Helper()
	a, err := archive.OpenReader(bytes.NewReader(clean), int64(len(clean)))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	c, err := a.Content()
	if err != nil {
		t.Fatal(err)
	}
	poisonStrings(reflect.ValueOf(c), with, map[any]bool{})
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
