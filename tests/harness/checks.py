"""Checks that go on after a failure, and say at the end how many passed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


MAX_SHOWN = 30


class Checks:
    """Counts what held and what did not; prints each failure with what was seen."""

    def __init__(self) -> None:
        self.n_passed = 0
        self.n_failed = 0

    def that(self, what: str, holds: object, seen: object = None) -> bool:
        """Notes one check; `seen` is printed if it does not hold."""
        if holds:
            self.n_passed += 1
            return True
        self.n_failed += 1
        if self.n_failed > MAX_SHOWN:
            print(f"FAILED: {what}", flush=True)
            return False
        shown = seen if isinstance(seen, str) else json.dumps(seen, default=str, ensure_ascii=False)
        print(f"FAILED: {what}\n        seen: {shown[:1200]}", flush=True)
        return False

    def equal(self, what: str, seen: object, expected: object) -> bool:
        """Notes that two values are equal."""
        return self.that(what, seen == expected, {"seen": seen, "expected": expected})

    @contextmanager
    def part(self, what: str) -> Iterator[None]:
        """Notes it where what is done within breaks off; what comes after it goes on."""
        try:
            yield
        except Exception as error:  # noqa: BLE001
            self.that(f"{what} goes through", False, f"{type(error).__name__}: {error}")

    def run(self, parts: dict[str, Callable[[], None]], only: str | None) -> None:
        """Goes through the parts, or through that of the name `only`."""
        for name, part in parts.items():
            if only in (None, name):
                with self.part(name):
                    part()

    def end(self) -> None:
        """Prints the sum and leaves with 0 only if everything held and something was checked."""
        print(f"{self.n_passed} passed, {self.n_failed} failed", flush=True)
        sys.exit(0 if self.n_passed and not self.n_failed else 1)
