"""Files of SCIP, read without a schema: documents with their occurrences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

# Fields of the messages `Index`, `Document` and `Occurrence` of scip.proto.
DOCUMENTS, PATH, OCCURRENCES, RANGE, SYMBOL, ROLES = 2, 1, 2, 1, 2, 3
DEFINITION = 1


class Occurrence(NamedTuple):
    """A name in a document: lines and columns from 0, the symbol, and whether it is defined there."""

    range: tuple[int, ...]
    symbol: str
    is_definition: bool


def documents(data: bytes) -> Iterator[tuple[str, list[Occurrence]]]:
    """Yields the path and the occurrences of each document."""
    for field, document in fields(data):
        if field == DOCUMENTS:
            parts = list(fields(document))
            path = next((value.decode() for at, value in parts if at == PATH), "")
            yield path, [occurrence(value) for at, value in parts if at == OCCURRENCES]


def occurrence(data: bytes) -> Occurrence:
    parts = dict(fields(data))
    packed, at, numbers = parts.get(RANGE, b""), 0, []
    while at < len(packed):
        value, at = varint(packed, at)
        numbers.append(value)
    return Occurrence(tuple(numbers), parts.get(SYMBOL, b"").decode(), bool(parts.get(ROLES, 0) & DEFINITION))


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yields the fields of a message of Protocol Buffers: numbers, and what has a length as bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = varint(data, at)
            yield number, value
            continue
        length, at = varint(data, at) if wire == 2 else ({1: 8, 5: 4}[wire], at)
        yield number, data[at : at + length]
        at += length


def varint(data: bytes, at: int) -> tuple[int, int]:
    """Returns the number that begins at a byte, and the byte behind it."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at
