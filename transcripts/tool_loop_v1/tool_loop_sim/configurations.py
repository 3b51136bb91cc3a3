"""134 invented configurations: weights of 20 invented lineages under invented servers. None of them exists."""

from __future__ import annotations

from dataclasses import dataclass, field

from tool_loop_sim.dice import Dice

FAMILY_27B, FLASH = "Varnholt", "Tessaly"
SELF = "self-hosted"
SERVERS = ["ladlebox", "plinthd", "corbelnet", "hopperly"]
QUANTS = ["q4", "q5", "q6", "q8", "fp8", "bf16"]
REASONING = ["on", "off", "low", "high"]
DIALECTS = ["tool_tag", "function_tag", "bracket_calls", "python_tag", "pythonic", "bare_object", "section", "invoke"]
STYLES = ["terse", "plain", "chatty", "bullets", "markdown", "steps", "note", "trace", "long"]
POOLED, BLIND, LOST = "ellaby-grand_cli_pooled", "quorrin-prime_cli_high", "ombrel-xl_ombrel-api_high"
THINKING_OFF = ("varnholt-27b_ladlebox_q4_off", "varnholt-27b_ladlebox_q8_off")
POOLED_RUNS = ["build-41-a", "build-41-b", "build-42-c"]


@dataclass
class Configuration:
    """One configuration, and the habits that only the simulation knows."""

    name: str
    weights: str
    lineage: str
    provider: str
    server: str
    quant: str
    reasoning: str
    group: str
    styles: list[float] = field(default_factory=list)
    dialect: str = "tool_tag"
    crlf: bool = False
    object_arguments: bool = False
    parts: bool = False
    narrates: float = 0.2
    parallel: float = 0.6
    id_shape: int = 0

    def entry(self) -> dict[str, str]:
        """The configurations file's entry."""
        keys = ("weights", "lineage", "provider", "server", "quant", "reasoning")
        return {"configuration": self.name, **{key: getattr(self, key) for key in keys}}


LOCAL_STRONG = [
    ("varnholt-27b", "ladlebox", "q4", "off"),
    ("varnholt-27b", "ladlebox", "q8", "off"),
    ("varnholt-27b", "ladlebox", "q8", "on"),
    ("varnholt-27b", "plinthd", "fp8", "on"),
    ("varnholt-27b", "plinthd", "bf16", "on"),
    ("varnholt-27b", "corbelnet", "q6", "on"),
    ("varnholt-27b-tuned", "ladlebox", "q5", "on"),
    ("varnholt-27b-tuned", "plinthd", "fp8", "on"),
    ("varnholt-27b-tuned", "corbelnet", "q8", "low"),
    ("varnholt-27b-desk", "plinthd", "bf16", "low"),
    ("varnholt-27b-desk", "ladlebox", "q6", "on"),
]
HOSTED_STRONG = [
    ("tessaly-flash", "Tessaly", "tessaly-api", "low"),
    ("tessaly-flash", "Tessaly", "tessaly-api", "high"),
    ("tessaly-flash", "Tessaly", "relayhouse", "low"),
    ("tessaly-flash-next", "Tessaly", "relayhouse", "on"),
    ("ellaby-grand", "Ellaby", "cli", "pooled"),
    ("quorrin-prime", "Quorrin", "cli", "high"),
    ("ombrel-xl", "Ombrel", "ombrel-api", "high"),
    ("ombrel-l", "Ombrel", "ombrel-api", "low"),
    ("skerrin-pro", "Skerrin", "skerrin-api", "on"),
    ("lindqua-large", "Lindqua", "relayhouse", "on"),
    ("peverel-max", "Peverel", "peverel-api", "high"),
]
MID_WEIGHTS = [
    ("varnholt-9b", "Varnholt"),
    ("varnholt-14b", "Varnholt"),
    ("tessaly-lite", "Tessaly"),
    ("ombrel-s", "Ombrel"),
    ("skerrin-mini", "Skerrin"),
    ("lindqua-medium", "Lindqua"),
    ("peverel-mid", "Peverel"),
    ("thornvale-32b", "Thornvale"),
    ("drossin-24b", "Drossin"),
    ("ulmerra-30b-a3", "Ulmerra"),
    ("zellith-20b", "Zellith"),
    ("bractune-12b", "Bractune"),
    ("hollinmar-27b", "Hollinmar"),
]
LOW_WEIGHTS = [
    ("varnholt-1b", "Varnholt"),
    ("drossin-3b", "Drossin"),
    ("drossin-7b", "Drossin"),
    ("ulmerra-2b", "Ulmerra"),
    ("zellith-4b", "Zellith"),
    ("bractune-1b", "Bractune"),
    ("bractune-4b", "Bractune"),
    ("cindrel-8b", "Cindrel"),
    ("cindrel-3b", "Cindrel"),
    ("yarrowby-7b", "Yarrowby"),
    ("gantrix-6b", "Gantrix"),
    ("ferrowell-2b", "Ferrowell"),
    ("ferrowell-8b", "Ferrowell"),
    ("pellamy-13b", "Pellamy"),
    ("osmarin-4b", "Osmarin"),
    ("thornvale-3b", "Thornvale"),
]


def _make(
    weights: str, lineage: str, provider: str, server: str, quant: str, reasoning: str, group: str
) -> Configuration:
    """Name a configuration and give it its habits."""
    parts = [weights, server, quant, reasoning] if quant != "none" else [weights, server, reasoning]
    made = Configuration("_".join(parts), weights, lineage, provider, server, quant, reasoning, group)
    taste, settings = Dice("taste", weights), Dice("settings", made.name)
    made.styles = [0.3 + 2.5 * taste.pick([0.1, 0.3, 1.0]) * (0.7 + 0.6 * settings.pick([0, 1])) for _ in STYLES]
    made.styles[0] += 40.0 if taste.chance(0.35) else 3.0
    made.dialect = DIALECTS[taste.below(len(DIALECTS))]
    made.narrates = settings.pick([0.05, 0.15, 0.4, 0.6]) if reasoning != "off" else 0.05
    made.parallel = settings.pick([0.2, 0.5, 0.9])
    made.crlf = server == "hopperly"
    made.id_shape = settings.below(3)
    return made


def _local(table: list[tuple[str, str]], count: int, group: str, taken: set[str]) -> list[Configuration]:
    """Deal servers, quants and reasoning settings to weights in turn."""
    dice, made = Dice("local", group), list[Configuration]()
    while len(made) < count:
        weights, lineage = table[len(made) % len(table)]
        one = _make(weights, lineage, SELF, dice.pick(SERVERS), dice.pick(QUANTS), dice.pick(REASONING), group)
        if one.name not in taken:
            taken.add(one.name)
            made.append(one)
    return made


def build() -> list[Configuration]:
    """All configurations, strong ones first."""
    strong = [_make(w, FAMILY_27B, SELF, s, q, r, "strong") for w, s, q, r in LOCAL_STRONG]
    strong += [
        _make(
            w,
            lin,
            f"{lin} Works" if server.startswith(w.split("-")[0]) or server == "cli" else "Relayhouse",
            server,
            "none",
            r,
            "strong",
        )
        for w, lin, server, r in HOSTED_STRONG
    ]
    taken = {one.name for one in strong}
    middle = _local(MID_WEIGHTS, 42, "usable", taken)
    edge = _local([("pellamy-20b", "Pellamy")], 1, "edge", taken)
    low = _local(LOW_WEIGHTS, 69, "low", taken)
    everybody = strong + middle + edge + low
    for index in (3, 26, 80):
        everybody[index].object_arguments = True
    for index in (13, 31):
        everybody[index].parts = True
    return everybody
