"""The two closed worlds: services, one-way dependencies, and questions with or without an answer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from kremis_sim.dice import Dice

Nodes = tuple[str, ...]
Link = tuple[str, str]


@dataclass(frozen=True)
class Question:
    """Does `source` depend on `target`? `truth` is the one chain, or None where there is none."""

    category: str
    source: str
    target: str
    truth: Nodes | None = None
    horizon: int | None = None

    @property
    def key(self) -> Link:
        """What tells a question from the others of its world."""
        return self.source, self.target


@dataclass(frozen=True)
class World:
    """A registry, what is asked of it, and the link that was left out for each broken chain."""

    name: str
    services: Nodes
    absent: Nodes
    dependencies: tuple[Link, ...]
    questions: tuple[Question, ...]
    withheld: dict[Link, Link]
    categories: Nodes
    horizons: tuple[int, ...] = ()

    @property
    def known(self) -> frozenset[str]:
        """Every name that may stand in a chain."""
        return frozenset(self.services + self.absent)

    def next_of(self, service: str) -> str | None:
        """What a service depends on; each depends on one other at most."""
        return next((target for source, target in self.dependencies if source == service), None)

    def walk(self, source: str) -> Nodes:
        """The declared links from a service, as far as they go."""
        nodes = [source]
        while (found := self.next_of(nodes[-1])) is not None:
            nodes.append(found)
        return tuple(nodes)


# --- base: two subsystems, two services that nothing needs, two names that are not registered

FRONT = ("tamsel-portal", "worrick-login", "heddle-tariff", "ostrey-lookup")
BACK = ("calder-switch", "vintry-shelf", "brennow-lane")
ALONE = ("ruddock-post", "maplin-clock")
ABSENT = ("fennick-shim", "dorrow-mirror")
TRAPS = ("reverse_edge", "reverse_path", "cross_component", "isolated", "absent_service")


def _between(chain: Nodes, start: int, stop: int, category: str) -> Question:
    return Question(category, chain[start], chain[stop], chain[start : stop + 1])


@cache
def base() -> World:
    """Nine services, five dependencies, 8 questions with an answer and 16 without."""
    direct = [_between(chain, i, i + 1, "direct") for chain in (FRONT, BACK) for i in range(len(chain) - 1)]
    transitive = [_between(chain, i, j, "transitive") for chain, i, j in [(FRONT, 1, 3), (FRONT, 0, 3), (BACK, 0, 2)]]
    traps = [
        *[Question("reverse_edge", q.target, q.source) for q in direct],
        *[Question("reverse_path", q.target, q.source) for q in transitive],
        *[
            Question("cross_component", *pair)
            for pair in [(FRONT[0], BACK[1]), (BACK[0], FRONT[3]), (BACK[2], FRONT[1])]
        ],
        *[Question("isolated", *pair) for pair in [(ALONE[0], ALONE[1]), (FRONT[1], ALONE[1]), (ALONE[0], BACK[2])]],
        *[Question("absent_service", *pair) for pair in [(BACK[0], ABSENT[0]), (ABSENT[1], FRONT[2])]],
    ]
    links = tuple(link for chain in (FRONT, BACK) for link in pairwise(chain))
    return World("base", FRONT + BACK + ALONE, ABSENT, links, (*direct, *transitive, *traps), {}, TRAPS)


# --- horizon: six whole and six broken chains at each length, names without any order in them

HORIZONS, INSTANCES = (2, 4, 6, 8, 10), 6
STEMS = (
    "abrel bostin ciddow dunnel effrin gostle hurrin iddock jorvel kestow "
    "lummer mardle nubbin orrick pindel quenby rasker sottle tibber wenlow"
).split()
ROLES = (
    "depot ferry kiosk lantern mill needle outpost pantry quarry rudder signal "
    "tower umber valve wharf yard anvil bridge cellar drum engine"
).split()


@cache
def horizon() -> World:
    """420 services, 330 dependencies, 30 questions with an answer, 30 backwards and 30 with one link withheld."""
    dice = Dice("horizon", "world")
    names = iter(dice.shuffled([f"{stem}-{role}" for stem in STEMS for role in ROLES]))
    links: list[Link] = []
    withheld: dict[Link, Link] = {}
    forwards, traps = list[Question](), list[Question]()
    for length in HORIZONS:
        for instance in range(INSTANCES):
            whole = tuple(next(names) for _ in range(length + 1))
            broken = tuple(next(names) for _ in range(length + 1))
            # The gap stands at the last link first and then walks back.
            gap = length - 1 - instance % length
            links += pairwise(whole)
            links += [link for at, link in enumerate(pairwise(broken)) if at != gap]
            withheld[broken[0], broken[-1]] = broken[gap], broken[gap + 1]
            forwards.append(Question(f"intact@{length}", whole[0], whole[-1], whole, length))
            traps.append(Question(f"reverse_path@{length}", whole[-1], whole[0], None, length))
            traps.append(Question(f"broken_link@{length}", broken[0], broken[-1], None, length))
    services = tuple(dice.shuffled(sorted({name for link in [*links, *withheld.values()] for name in link})))
    categories = tuple(f"{trap}@{length}" for trap in ("reverse_path", "broken_link") for length in HORIZONS)
    return World(
        "horizon", services, (), tuple(dice.shuffled(links)), (*forwards, *traps), withheld, categories, HORIZONS
    )
