"""Reads the files that `tabard export arrow` writes, with NumPy alone: a small part of Arrow's IPC format."""

import mmap
import struct
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple


class _Flat:
    """A table of a FlatBuffer."""

    def __init__(self, buffer: Any, at: int) -> None:
        self.b, self.at = buffer, at
        vtable = at - struct.unpack_from("<i", buffer, at)[0]
        size = struct.unpack_from("<H", buffer, vtable)[0]
        self.slots = struct.unpack_from("<%dH" % (size // 2 - 2), buffer, vtable + 4)

    def value(self, i: int, form: str, default: Any = 0) -> Any:
        if i >= len(self.slots) or not self.slots[i]:
            return default
        return struct.unpack_from("<" + form, self.b, self.at + self.slots[i])[0]

    def place(self, i: int) -> int:
        at = self.at + self.slots[i]
        return at + struct.unpack_from("<I", self.b, at)[0]

    def table(self, i: int) -> "_Flat":
        return _Flat(self.b, self.place(i))

    def text(self, i: int) -> str:
        at = self.place(i)
        n = struct.unpack_from("<I", self.b, at)[0]
        return bytes(self.b[at + 4:at + 4 + n]).decode("utf-8")

    def tables(self, i: int) -> List["_Flat"]:
        at = self.place(i)
        n = struct.unpack_from("<I", self.b, at)[0]
        starts = range(at + 4, at + 4 + 4 * n, 4)
        return [_Flat(self.b, k + struct.unpack_from("<I", self.b, k)[0]) for k in starts]

    def structs(self, i: int, form: str) -> List[Tuple[Any, ...]]:
        at = self.place(i)
        n = struct.unpack_from("<I", self.b, at)[0]
        size = struct.calcsize("<" + form)
        return [struct.unpack_from("<" + form, self.b, at + 4 + size * k) for k in range(n)]


class Column(NamedTuple):
    """A column of some rows. values are numbers; of texts, they are places in texts. valid is None where all are there."""

    values: Any
    valid: Optional[Any]
    texts: Optional[Any]

    def decoded(self) -> Any:
        """The values: an array, masked where some are not there; texts as objects."""
        import numpy

        values = self.values if self.texts is None else self.texts[self.values]
        return values if self.valid is None else numpy.ma.masked_array(values, ~self.valid)


class File:
    """A file of record batches, mapped into memory: columns are views of it."""

    def __init__(self, file: Any) -> None:
        self.map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        size = struct.unpack_from("<i", self.map, len(self.map) - 10)[0]
        start = len(self.map) - 10 - size
        footer = bytes(self.map[start:start + size])
        root = _Flat(footer, struct.unpack_from("<I", footer, 0)[0])
        self.fields = [(f.text(0), f.value(2, "B"), f.table(3).value(0, "i"), f.slots[4] and f.table(4).value(0, "q"),
                        bool(f.slots[4])) for f in root.table(1).tables(1)]
        self.columns = [f[0] for f in self.fields]
        self.blocks = root.structs(3, "qi4xq")
        self.dictionaries = root.structs(2, "qi4xq")
        self.texts: Dict[int, Any] = {}
        self.rows = sum(self._batch(b)[0].value(0, "q") for b in self.blocks)

    def _batch(self, block: Tuple[int, int, int]) -> Tuple[_Flat, int, _Flat]:
        at, meta, _ = block
        head = bytes(self.map[at + 8:at + meta])
        message = _Flat(head, struct.unpack_from("<I", head, 0)[0])
        header = message.table(2)
        return header, at + meta, message

    def _dictionary(self, block: Tuple[int, int, int]) -> None:
        import numpy

        header, body, _ = self._batch(block)
        batch = header.table(1)
        n = batch.value(0, "q")
        _, offsets, data = batch.structs(2, "qq")
        ends = struct.unpack_from("<%di" % (n + 1), self.map, body + offsets[0])
        start = body + data[0]
        texts = [bytes(self.map[start + a:start + b]).decode("utf-8") for a, b in zip(ends, ends[1:])]
        self.texts[header.value(0, "q")] = numpy.array(texts, dtype=object)

    def batches(self) -> Iterator[Dict[str, Column]]:
        """The rows of one record batch after the other, by the names of columns."""
        import numpy

        if not self.texts:
            for block in self.dictionaries:
                self._dictionary(block)
        for block in self.blocks:
            batch, body, _ = self._batch(block)
            n = batch.value(0, "q")
            buffers = batch.structs(2, "qq")
            out: Dict[str, Column] = {}
            for i, (name, kind, bits, number, coded) in enumerate(self.fields):
                (_, valid_size), (at, _) = buffers[2 * i:2 * i + 2]
                valid = None
                if valid_size:
                    valid = self._bits(body + buffers[2 * i][0], n)
                if kind == 6:
                    values = self._bits(body + at, n)
                else:
                    wide = not coded and bits == 64
                    values = numpy.frombuffer(self.map, "<i8" if wide else "<i4", n, body + at)
                out[name] = Column(values, valid, self.texts[number] if coded else None)
            yield out

    def _bits(self, at: int, n: int) -> Any:
        import numpy

        packed = numpy.frombuffer(self.map, "u1", (n + 7) // 8, at)
        return numpy.unpackbits(packed, bitorder="little", count=n).view(bool)
