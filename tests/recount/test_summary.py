"""Every leaf of summary.json is recounted by SQL over the base tables; one trial moved moves the recount alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from regrade.audit import Audit, audit
from regrade.books import store_corpus
from regrade.tables.store import FILE_NAME, Store
from tests.conftest import ROOT
from tests.recount.ground import Elsewhere
from tests.recount.whole import recount, unlike
from tests.test_bundled import bundled


def recounted(out: Path, *changes: str) -> dict[str, Any]:
    with Store.open(out / FILE_NAME, read_only=True) as store:
        corpus = store_corpus(store)
        for change in changes:
            store.con.execute(change)
        return recount(store.con, corpus)


def test_all_of_a_small_corpus(everything: Audit) -> None:
    assert list(unlike(everything.summary, recounted(everything.out))) == []
