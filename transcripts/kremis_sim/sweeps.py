"""Who was asked, and how each question goes. Nothing of this is stored but the key and the reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from kremis_sim.dice import Dice
from kremis_sim.wording import Habits
from kremis_sim.worlds import Link, World

Plan = Mapping[str, Sequence[str]]
SILENT: Plan = {}


@dataclass(frozen=True)
class Model:
    """Invented weights under an invented provider."""

    name: str
    weights: str
    lineage: str
    provider: str
    habits: Habits
    characters_per_token: float
    quant: str | None = None


@dataclass(frozen=True)
class Sweep:
    """One model asked every question of a world under one setting; by category, the intents that are dealt.

    `moves` says for a category which intent is another one in later runs; questions without an intent abstain.
    """

    file: str
    model: Model
    plan: Plan
    arm: str = "llm-context"
    hint: bool = False
    num_ctx: int = 16384
    runs: int = 1
    moves: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def habits(self) -> Habits:
        """Without any facts there is nothing to tell beside the answer."""
        return (
            replace(self.model.habits, bare=1.0, thinks=0.0, unmarked=0.0, careless=0.0)
            if self.arm == "llm-bare"
            else self.model.habits
        )

    @property
    def configuration(self) -> str:
        """The name of the configuration, made of the parts of the cache's key."""
        return f"{self.model.provider} {self.model.name} {self.arm} hint={self.hint} ctx={self.num_ctx}"

    def intents(self, world: World, run: int) -> dict[Link, str]:
        """How each question goes in one run."""
        dealt = {}
        for category in dict.fromkeys(question.category for question in world.questions):
            asked = [question.key for question in world.questions if question.category == category]
            intents = [*self.plan.get(category, ())]
            assert len(intents) <= len(asked), (self.configuration, category)
            intents += ["abstain"] * (len(asked) - len(intents))
            dealt.update(zip(Dice(self.configuration, category).shuffled(asked), intents, strict=True))
        for category, (before, after) in self.moves.items() if run else ():
            [key, *_] = [q.key for q in world.questions if q.category == category and dealt[q.key] == before]
            dealt[key] = after
        return dealt


SOLVANE = Model(
    "solvane:4b", "solvane-4b", "Solvane", "ladlebox", Habits(bare=0.45, thinks=0.6, careless=0.12), 3.1, "q4"
)
PICKET = Model(
    "picket-mini",
    "picket-mini",
    "Picket",
    "ladlebox",
    Habits(bare=0.4, decorates=0.6, unmarked=0.15, refuses=0.3, careless=0.4),
    3.4,
    "q4",
)
AULDREN = Model(
    "auldren-cloud", "auldren", "Auldren", "relayhouse", Habits(bare=0.35, decorates=0.5, refuses=0.25), 3.6
)
HARROWBY = Model(
    "harrowby:7b", "harrowby-7b", "Harrowby", "ladlebox", Habits(bare=0.5, decorates=0.45, careless=0.1), 3.2, "q5"
)
MORAVEL = Model(
    "moravel:8b", "moravel-8b", "Moravel", "ladlebox", Habits(bare=0.2, decorates=0.7, refuses=0.3, crlf=0.5), 3.3, "q8"
)
DUNMERE = Model(
    "dunmere:3b",
    "dunmere-3b",
    "Dunmere",
    "ladlebox",
    Habits(bare=0.4, unmarked=0.2, refuses=0.3, careless=0.3),
    3.0,
    "q4",
)
MERRIN = Model(
    "tollgate/merrin-70b", "merrin-70b", "Merrin", "relayhouse", Habits(bare=0.3, decorates=0.5, refuses=0.2), 3.5
)

ALL_DIRECT, ALL_TRANSITIVE = ["right"] * 5, ["right"] * 3
EVERY_ANSWER = {"direct": ALL_DIRECT, "transitive": ALL_TRANSITIVE}
BASE = [
    Sweep("arms", SOLVANE, EVERY_ANSWER),
    Sweep(
        "arms",
        PICKET,
        {
            "direct": ["right", "right", "wrong", "garble"],
            "transitive": ["wrong"],
            "reverse_edge": ["invent backwards", "garble"],
            "cross_component": ["invent detour", "stray"],
            "absent_service": ["garble"],
        },
    ),
    Sweep("arms", AULDREN, EVERY_ANSWER),
    Sweep("arms", SOLVANE, {"direct": ALL_DIRECT, "transitive": ["right"]}, arm="llm-rag"),
    Sweep("arms", PICKET, {"direct": ["right", "wrong"], "reverse_edge": ["invent", "spoiled"]}, arm="llm-rag"),
    Sweep("arms", AULDREN, {"direct": ALL_DIRECT, "transitive": ["right"]}, arm="llm-rag"),
    Sweep("arms", SOLVANE, SILENT, arm="llm-bare"),
    Sweep("arms", PICKET, SILENT, arm="llm-bare"),
    Sweep("arms", AULDREN, SILENT, arm="llm-bare"),
    Sweep(
        "panel",
        HARROWBY,
        {**EVERY_ANSWER, "reverse_edge": ["invent"], "reverse_path": ["invent"], "isolated": ["garble"]},
        num_ctx=8192,
        runs=2,
    ),
    Sweep(
        "panel",
        PICKET,
        {
            "direct": ["right", "right", "right", "wrong"],
            "transitive": ["right", "wrong", "garble"],
            "reverse_edge": ["invent", "garble"],
            "reverse_path": ["invent", "garble"],
            "cross_component": ["invent"],
            "isolated": ["stray"],
        },
        num_ctx=8192,
        runs=2,
        moves={"direct": ("right", "stray")},
    ),
    Sweep(
        "panel",
        MORAVEL,
        {
            **EVERY_ANSWER,
            "reverse_edge": ["invent", "invent"],
            "cross_component": ["invent detour"],
            "absent_service": ["invent"],
        },
        num_ctx=8192,
        runs=2,
        moves={"cross_component": ("invent detour", "invent straight")},
    ),
    Sweep(
        "hint",
        DUNMERE,
        {
            "direct": ["right"] * 4,
            "transitive": ["right", "garble"],
            "reverse_edge": ["invent"],
            "reverse_path": ["invent"],
        },
    ),
    Sweep(
        "hint",
        DUNMERE,
        {"direct": ["right"] * 3, "transitive": ["right", "wrong"], "reverse_edge": ["invent", "garble"]},
        hint=True,
    ),
]

LENGTHS = (2, 4, 6, 8, 10)
EVERY_CHAIN = {f"intact@{length}": ["right"] * 6 for length in LENGTHS}
RUNAWAY = {
    **EVERY_CHAIN,
    "broken_link@2": ["invent"] * 5 + ["loop"],
    "broken_link@4": ["invent"] * 5 + ["loop"],
    "broken_link@6": ["invent"] * 3 + ["loop"] * 2,
    "broken_link@8": ["invent"] * 4 + ["loop"],
    "broken_link@10": ["invent"] * 5 + ["stray"],
    "reverse_path@2": ["invent"] * 4 + ["stray"],
    "reverse_path@4": ["invent"] * 3 + ["loop"] * 2,
    "reverse_path@6": ["invent"] * 2 + ["loop"] * 2 + ["stray"],
    "reverse_path@8": ["invent"] * 3 + ["loop"] * 2,
    "reverse_path@10": ["invent"] * 3 + ["loop"] * 2 + ["stray"],
}
HORIZON = [
    Sweep("arms", AULDREN, EVERY_CHAIN),
    Sweep(
        "arms",
        SOLVANE,
        {
            "intact@2": ["right"] * 2,
            "intact@4": ["right"] * 2,
            "intact@6": ["right"],
            "intact@8": ["garble", "stray"],
            "intact@10": ["right", "garble"],
            "broken_link@4": ["invent across"],
            "broken_link@6": ["invent across"],
            "broken_link@10": ["garble"],
            "reverse_path@6": ["garble"],
        },
    ),
    Sweep(
        "arms",
        PICKET,
        {
            "intact@2": ["right"] * 2 + ["garble"] * 2,
            "intact@4": ["garble", "stray"],
            "intact@6": ["stray"],
            "broken_link@2": ["invent straight", "garble"],
            "broken_link@4": ["garble"],
            "broken_link@8": ["stray"],
            "reverse_path@2": ["garble"] * 2,
            "reverse_path@8": ["denied"],
        },
    ),
    Sweep("arms", MERRIN, RUNAWAY),
    Sweep("arms", SOLVANE, {"intact@2": ["right"] * 3, "reverse_path@2": ["spoiled"]}, arm="llm-rag"),
    Sweep("arms", PICKET, {"intact@2": ["right"], "intact@4": ["spoiled"]}, arm="llm-rag"),
    Sweep("arms", SOLVANE, SILENT, arm="llm-bare"),
]
SWEEPS = {"base": BASE, "horizon": HORIZON}
