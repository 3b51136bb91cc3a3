"""Eight invented configurations: names, lineages and habits."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Configuration:
    """One invented configuration."""

    name: str
    weights: str
    lineage: str
    provider: str
    reasoning: str
    refusal: str
    """How it refuses: `flat` (the sentence asked for), `own` words, or `hedge` (what it found, and a question)."""
    layouts: tuple[str, ...]
    """How it writes JSON."""

    def entry(self) -> dict[str, str]:
        """The entry as stored."""
        names = ("weights", "lineage", "provider", "reasoning")
        return {"configuration": self.name, **{name: getattr(self, name) for name in names}}


CONFIGURATIONS = (
    Configuration("marrible-6", "marrible-6", "marrible", "marrible-api", "on", "flat", ("compact", "spaced")),
    Configuration("marrible-slight", "marrible-slight", "marrible", "marrible-api", "off", "own", ("spaced", "two")),
    Configuration("ostrick-grand", "ostrick-grand", "ostrick", "ostrick-api", "on", "flat", ("two", "spaced")),
    Configuration("ostrick-swift", "ostrick-swift", "ostrick", "ostrick-api", "off", "own", ("spaced", "compact")),
    Configuration("tavick-44b", "tavick-44b", "tavick", "relayhouse", "off", "hedge", ("two", "four")),
    Configuration("tavick-summit", "tavick-summit", "tavick", "relayhouse", "on", "own", ("two", "compact")),
    Configuration("tavick-ridge", "tavick-ridge", "tavick", "relayhouse", "on", "own", ("spaced", "four")),
    Configuration("tavick-dash", "tavick-dash", "tavick", "relayhouse", "off", "own", ("compact", "spaced")),
)
NAMES = tuple(who.name for who in CONFIGURATIONS)
PANEL, MINI, GRAND, SWIFT, HEDGER, ABSTAINER, EMPTY, FLASH = NAMES
"""Their parts: the one that over-answers most, ..., the hard abstainer, the one that returns nothing, the fast one."""
