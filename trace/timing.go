package trace

import "tabard/internal/column"

// Timing is the time stamps of a stream, with random access.
type Timing = column.TimingReader
