"""Reading a fixture source: which rows offer a value, and what stands in the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.findings.spelling import did_you_mean
from assay.pack.candidates import Candidate
from assay.pack.filters import FilterDataError
from assay.pack.fixtures import Collections, has_id
from assay.pack.keys import KeyProblem, field_names, fixture_ref

if TYPE_CHECKING:
    from assay.pack.candidates import Outcome
    from assay.pack.filters import Filter
    from assay.pack.sources import FixtureSource


@dataclass(frozen=True, slots=True)
class FixtureReading:
    """One fixture source being read; `row_filter` is None when it could not be parsed.

    Rows without an id, and declared keys that no row carries, are the loader's findings; such rows offer nothing here.
    """

    collections: Collections
    source: FixtureSource
    row_filter: Filter | None
    outcome: Outcome

    def read(self) -> None:
        """Fill in candidates and faults. With a broken filter only what does not depend on it is looked at."""
        collection = self.outcome.collection = self.source.collection
        self.outcome.known = self.collections.known
        if not self.collections.known:
            return
        rows = self.collections.rows(collection)
        if rows is None:
            self.outcome.add("unknown_collection", self._absence(), detail={"collection": collection})
            return
        matched = self._matched(rows)
        key = self.collections.key(collection)
        if isinstance(key, KeyProblem):
            self.outcome.known = False
            if matched and collection not in self.collections.declared:
                self.outcome.add("primary_key_ambiguous", str(key), detail={"collection": collection})
        elif self.row_filter is not None:
            self.outcome.key = key
            self.outcome.settle(self._candidates(rows, matched, key))

    def _absence(self) -> str:
        """Say why the collection cannot be read."""
        collection, known = self.source.collection, self.collections.data or {}
        if collection in known:
            return f"The collection `{collection}` is not a list of rows."
        return f"The fixtures have no collection `{collection}`.{did_you_mean(collection, known)}"

    def _matched(self, rows: list[Any]) -> list[int]:
        """Return the indices of the rows that have the field and pass the filter; note why when there are none."""
        with_field = [index for index, row in enumerate(rows) if isinstance(row, dict) and self.source.field in row]
        matched, problem = self._filtered(rows, with_field)
        if problem is not None:
            self.outcome.add("unevaluable_filter", problem, about="filter")
        elif not matched:
            self._note_no_match(rows, with_field)
        return matched

    def _filtered(self, rows: list[Any], indices: list[int]) -> tuple[list[int], str | None]:
        """Return the rows that pass, and the first problem that a row gave: one is enough for one filter."""
        if self.row_filter is None:
            return indices, None
        matched: list[int] = []
        problem: str | None = None
        for index in indices:
            try:
                if self.row_filter.matches(rows[index]):
                    matched.append(index)
            except FilterDataError as error:
                problem = problem or f"In row {index + 1} of `{self.source.collection}` {error}."
        return matched, problem

    def _note_no_match(self, rows: list[Any], with_field: list[int]) -> None:
        collection, name = self.source.collection, self.source.field
        if with_field:
            message = f"None of the {len(with_field)} rows of `{collection}` that have `{name}` passes the filter."
        elif rows:
            message = f"No row of `{collection}` has a field `{name}`.{did_you_mean(name, field_names(rows))}"
        else:
            message = f"The collection `{collection}` has no rows."
        about = "filter" if with_field else "source"
        self.outcome.add("filter_matches_zero", message, about=about, detail={"collection": collection})

    def _candidates(self, rows: list[Any], matched: list[int], key: str) -> list[Candidate]:
        """Return a candidate for each matched row that can be referred to."""
        collection, name = self.source.collection, self.source.field
        return [
            Candidate(rows[index][name], fixture_ref(collection, rows[index][key]), index)
            for index in matched
            if has_id(rows[index], key)
        ]
