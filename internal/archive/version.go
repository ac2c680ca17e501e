package archive

import "github.com/tabard-hpc/tabard/internal/archive/container"

// FormatVersion is the version of the file format that this package writes;
// it reads this one and all before.
const FormatVersion = int(container.Latest)
