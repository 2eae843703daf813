"""Whether an answer is right for the time in which it was made.

`fresh` must be the whole truth of one state that was there during the call; anything else may lack things, and may
show things marked stale, but nothing wrong without the mark and nothing of a place that was not there.
"""

from __future__ import annotations

import threading
from collections import Counter

from checks import Checks
from known_repo import Era, World
from product import Reply
from questions import ABSENT, Question, Standing, Text


class Judge:
    """Judges answers as they come, and in the end the identities that they named."""

    def __init__(self, checks: Checks) -> None:
        self.checks = checks
        self.counts: Counter = Counter()
        self.named: list[tuple[str, World, str, list[Era], object]] = []
        self.keys: dict[str, set[tuple]] = {}
        self.lock = threading.Lock()

    def that(self, what: str, holds: object, seen: object) -> bool:
        with self.lock:
            return self.checks.that(what, holds, seen)

    def answer(self, who: str, world: World, question: Question, reply: Reply) -> None:
        eras = world.eras_in(reply.begun, reply.ended)
        what = f"{who}: {question}"
        value = reply.value
        truths = [question.truth(era.state) for era in eras]
        said = None if reply.is_error else question.shown(reply)
        only = [[sorted(map(str, truth - said)), sorted(map(str, said - truth))] for truth in truths
                if isinstance(truth, frozenset) and isinstance(said, frozenset)]
        shown = {"states": len(eras), "took": round(reply.ended - reply.begun, 3), "missing, too much": only[:6],
                 "reply": value}
        if reply.is_error:
            self.counts[f"error {reply.code}"] += 1
            # Nothing else may be refused; this only where it was true.
            is_true = reply.code in ABSENT and (None in truths or reply.code == "not_indexed" and len(eras) > 1)
            self.that(f"{what} is answered", is_true, shown)
            return
        freshness = value.get("freshness")
        reason = value.get("freshnessReason")
        self.counts[f"{freshness} {reason}" if reason else freshness or "of the disk"] += 1
        if isinstance(question, (Text, Standing)):
            is_true = (any(question.is_of(value, era.state) for era in eras) if isinstance(question, Standing)
                       else question.shown(reply) in truths)
            self.that(f"{what} is of a state that was there", is_true, shown)
            if isinstance(question, Standing):
                self.key(value["indexId"], world, value["branch"], value["headSha"])
            return
        if freshness == "fresh":
            right = [era for era, truth in zip(eras, truths) if truth == question.shown(reply)]
            self.that(f"{what} is the whole truth", right, shown)
            stale = [it for key in ("results", "files", "callers") for it in value.get(key, []) if it.get("stale")]
            self.that(f"{what}: fresh, so nothing is stale", not stale, stale)
            self.named.append((what, world, value["indexId"], right, eras))
        else:
            wrong = [n for n, holds in enumerate(question.claims(value)) if not any(holds(era.state) for era in eras)]
            self.that(f"{what}, {freshness} {reason}: what is not marked stale is right", not wrong, {"wrong": wrong, **shown})
            self.named.append((what, world, value["indexId"], eras, eras))
        paths = [it["path"] for key in ("results", "files", "callers") for it in value.get(key, [])]
        ghosts = [path for path in paths if path.startswith("known/") and not any(path in era.state.files for era in eras)]
        self.that(f"{what}, {freshness} {reason}: no file that was gone", not ghosts, {"ghosts": ghosts, **shown})

    def key(self, index_id: str, world: World, branch: str | None, head: str | None) -> None:
        with self.lock:
            self.keys.setdefault(index_id, set()).add((str(world.path), branch, head))

    def end(self) -> None:
        """Checks that each answer named the index of a state that bears it out."""
        for index_id, keys in self.keys.items():
            self.that(f"{index_id} belongs to one branch and commit", len(keys) == 1, sorted(map(str, keys)))
        n_unknown = 0
        for what, world, index_id, right, eras in self.named:
            known = self.keys.get(index_id)
            if known is None:
                n_unknown += 1
                continue
            is_key = lambda era: (str(world.path), era.state.branch, era.state.head) in known  # noqa: E731
            if any(is_key(era) for era in right):
                self.that(f"{what}: its index is of that state", True, None)
                continue
            # Between git's last write in the tree and its write of HEAD, the tree is the new one and HEAD the old.
            between = any(is_key(era) and later.by_git and later in right for era, later in zip(eras, eras[1:]))
            self.counts["between tree and HEAD"] += between
            self.that(f"{what}: its index is of that state", between,
                      {"index": sorted(map(str, known)), "right": [(e.state.branch, e.state.head) for e in right]})
        self.counts["answers of an index that nobody asked about"] = n_unknown
