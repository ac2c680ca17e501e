package trace

import "tabard/trace/internal/container"

// FormatVersion is the version of the file format that this package writes;
// it reads this one and all before.
const FormatVersion = int(container.Latest)
