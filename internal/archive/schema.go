package archive

// The content of an archive is described by one table, which the writer, the
// reader, the text twin and the tests of docs/format.md share. All numbers in
// it are data: append only, never reused.

// Section types.
const (
	secMeta      = 1
	secStructure = 2
	secColumns   = 3
	secTiming    = 4
	secOverview  = 5
)

// sectionVersion is the newest version of each section type.
const sectionVersion = 1

var sectionNames = map[uint32]string{
	secMeta: "meta", secStructure: "structure", secColumns: "columns", secTiming: "timing",
	secOverview: "overview",
}

// Part types.
const (
	partStrings = 1
	partMeta    = 2
	partModules = 3
	partFrames  = 4
	partTrees   = 5
	partGroups  = 9

	partColumns   = 20
	partTimings   = 21
	partTemplates = 23
	partBodies    = 24
	partClasses   = 25
	partShapes    = 26
	partHeads     = 27
	partBundles   = 28
	partModels    = 29
	partSequences = 30
)

// partVersion is the newest version of each part type.
const partVersion = 1

// partKind is the shape of a part.
type partKind uint8

const (
	// poolPart is a list of byte strings.
	poolPart partKind = iota
	// tablePart is a table of integers, stored field by field.
	tablePart
)

// field is a column of a table part. A value is coded as its difference from
// the value of the row before (0 for the first row), less step.
type field struct {
	name string
	step int64
}

// partSchema describes a part. A reader skips fields that it does not know at
// the end of a table, and takes fields that are missing as 0.
type partSchema struct {
	id      uint32
	name    string
	section uint32
	kind    partKind
	fields  []field
}

var schema = []partSchema{
	{id: partStrings, name: "strings", section: secMeta, kind: poolPart},
	{id: partMeta, name: "run", section: secMeta, kind: tablePart, fields: []field{{"key", 0}, {"value", 0}}},
	{
		id:      partModules,
		name:    "modules",
		section: secMeta,
		kind:    tablePart,
		fields:  []field{{"path", 0}, {"build_id", 0}, {"size", 0}},
	},
	{id: partFrames, name: "frames", section: secMeta, kind: tablePart,
		fields: []field{{"site", 1}, {"module", 0}, {"offset", 0}, {"func", 0}, {"file", 0}, {"line", 0}}},
	{id: partTrees, name: "trees", section: secMeta, kind: tablePart,
		fields: []field{{"site", 0}, {"called", 0}, {"count", 0}}},
	{id: partGroups, name: "groups", section: secMeta, kind: poolPart},
	{id: partTimings, name: "timings", section: secMeta, kind: tablePart, fields: []field{{"bytes", 0}}},

	{id: partHeads, name: "heads", section: secStructure, kind: tablePart,
		fields: []field{{"func", 0}, {"site", 0}, {"flags", 0}, {"ret", 0}, {"shape", 0}}},
	{id: partShapes, name: "shapes", section: secStructure, kind: poolPart},
	{id: partTemplates, name: "templates", section: secStructure, kind: poolPart},
	{id: partBodies, name: "bodies", section: secStructure, kind: poolPart},
	{id: partClasses, name: "classes", section: secStructure, kind: poolPart},
	{id: partColumns, name: "columns", section: secStructure, kind: tablePart, fields: []field{{"bytes", 0}}},
	{id: partBundles, name: "bundles", section: secStructure, kind: poolPart},
	{id: partModels, name: "models", section: secStructure, kind: tablePart, fields: []field{{"model", 0}}},
	{id: partSequences, name: "sequences", section: secStructure, kind: poolPart},
}

// Keys of the part "run": what the value of a row is.
const (
	keyCommand     = 1 // a string of the command line; one row for each, in order
	keyMPI         = 2 // string
	keyABI         = 3 // number
	keyCreated     = 4 // number, nanoseconds since 1970
	keyTool        = 5 // string
	keyOptionName  = 6 // string
	keyOptionValue = 7 // string, of the option named by the row before
	keyPartial     = 8 // number, 1 if calls were left out on purpose
)

// schemaOf finds the schema of a part, nil if unknown.
func schemaOf(section, id uint32) *partSchema {
	for i := range schema {
		if schema[i].section == section && schema[i].id == id {
			return &schema[i]
		}
	}
	return nil
}
