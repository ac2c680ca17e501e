package archive

// Stats says what the bytes of an archive hold. Meta, Structure, Columns,
// Timing, Index and Other add up to Total, the size of the file.
type Stats struct {
	// Structure is signatures, grammars, strings among the parameters, and
	// which stream has which, as stored (compressed together).
	Structure int64
	// Columns is the parameters that are not in signatures.
	Columns int64
	// Timing is the time stamps.
	Timing int64
	// Meta is the run: command, processes, modules, call sites, clocks.
	Meta int64
	// Index is header, index and trailer.
	Index int64
	// Other is the overview, and sections that this version does not know.
	Other int64
	Total int64
	// Parts lists the parts of the meta and structure sections with their
	// sizes before compression.
	Parts []PartStats
}

// PartStats is the size of a part before compression.
type PartStats struct {
	Section, Name string
	Bytes         int64
}

// Stats says what the bytes of the archive hold.
func (a *Archive) Stats() Stats { return a.stats }
