package column

import "math/bits"

func mask(width uint) uint64 { return 1<<width - 1 } // 1<<64 is 0

func bytesOf(nbits uint64) uint64 { return (nbits + 7) / 8 }

func widthOf(v uint64) uint { return uint(bits.Len64(v)) }
