"""Panels: configurations whose trials may be pooled, one of each lineage and all in one arm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from duckdb import DuckDBPyConnection

from regrade.errors import CorpusError, near
from regrade.files.corpus import Corpus, Panel


def panels_summary(con: DuckDBPyConnection, corpus: Corpus) -> dict[str, Any]:
    """Check the declared panels: `{name: {configurations, lineages, arm}}`, the lineages in the configurations' order.

    Raises:
        CorpusError: a configuration has no trial or no known lineage, two share a lineage, or they are of several arms.
    """
    known = {
        configuration: (lineage, arm)
        for configuration, lineage, arm in con.execute(
            "select configuration, lineage, arm from configurations "
            "where configuration in (select configuration from trials) order by configuration"
        ).fetchall()
    }
    return {panel.name: _checked(panel, known) for panel in corpus.panels}


def _checked(panel: Panel, known: Mapping[str, tuple[str | None, str | None]]) -> dict[str, Any]:
    where = f"[[panel]] {panel.name}"
    # However it is spelled: `Llama ` beside `llama` is no second lineage.
    lineages: dict[str, tuple[str, str]] = {}
    arms: dict[str | None, str] = {}
    for name in panel.configurations:
        if name not in known:
            raise CorpusError(f"{where}: no trial is by the configuration {name!r}.{near(name, known)}")
        lineage, arm = known[name]
        told = (lineage or "").strip()
        if not told:
            raise CorpusError(
                f"{where}: the lineage of {name} is not known, so that nothing shows that it is one of its own. "
                "Give it in the configurations file."
            )
        if known_as := lineages.get(told.casefold()):
            raise CorpusError(
                f"{where}: its lineages are not distinct: {known_as[1]} and {name} are both {known_as[0]}, "
                "which would count twice. Keep one configuration of each lineage."
            )
        lineages[told.casefold()] = (told, name)
        arms.setdefault(arm, name)
    if len(arms) > 1:
        told = ", ".join(f"{name} of {arm or 'none'}" for arm, name in arms.items())
        raise CorpusError(
            f"{where}: its configurations are of {len(arms)} arms: {told}. Trials are pooled within one arm; "
            "make a panel for each."
        )
    return {
        "configurations": list(panel.configurations),
        "lineages": [lineage for lineage, _ in lineages.values()],
        "arm": next(iter(arms)),
    }
