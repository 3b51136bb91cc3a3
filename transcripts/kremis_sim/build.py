"""The reply caches of a world, each reply read by the benchmark's own classifier."""

from __future__ import annotations

from typing import Any

from kremis_sim import chains, classifier, prompts, worlds
from kremis_sim.dice import Dice
from kremis_sim.sweeps import SWEEPS, Sweep
from kremis_sim.wording import Writer
from kremis_sim.worlds import Question, World

WORLDS = {"base": worlds.base, "horizon": worlds.horizon}
MEANT_AS = {"right": "asserted", "wrong": "asserted", "invent": "asserted", "abstain": "abstained"}
REWORDED = 0.15
Cache = dict[str, list[Any]]


def key_of(world: World, sweep: Sweep, run: int, question: Question) -> str:
    """The ten parts that the cache files a reply under."""
    model = sweep.model
    parts = (world.name, len(world.services), model.provider, model.name, sweep.arm, sweep.hint, sweep.num_ctx, run)
    return "|".join(map(str, (*parts, *question.key)))


def reply(world: World, sweep: Sweep, run: int, question: Question, intent: str) -> str:
    """What is replied. A later run says what the first one said, in other words now and then."""
    kind, _, how = intent.partition(" ")
    names = (world.name, sweep.configuration, *question.key)
    again = run if kind in MEANT_AS and Dice(*names, "again", run).chance(REWORDED) else 0
    writer = Writer(prompts.seen(world, sweep.arm, question), question, sweep.habits, Dice(*names, intent, again))
    dice = Dice(*names, "chain")
    if kind == "right":
        assert question.truth is not None
        return writer.asserted(question.truth)
    if kind == "wrong":
        return writer.asserted(chains.mistaken(world, question, dice))
    if kind == "invent":
        return writer.asserted(chains.invented(world, question, dice, how or "any"))
    if kind == "abstain":
        return writer.abstained()
    return writer.malformed("any" if kind == "garble" else kind)


def build(name: str) -> dict[str, Cache]:
    """Every cache file of a corpus; the stored verdict is what the classifier says of the text."""
    world = WORLDS[name]()
    caches: dict[str, Cache] = {}
    for sweep in SWEEPS[name]:
        cache = caches.setdefault(sweep.file, {})
        for run in range(sweep.runs):
            intents = sweep.intents(world, run)
            for question in world.questions:
                intent = intents[question.key]
                text = reply(world, sweep, run, question, intent)
                reading = classifier.read(text, *question.key, world.known)
                meant = MEANT_AS.get(intent.partition(" ")[0], "malformed")
                if reading.verdict != meant:
                    raise AssertionError(
                        f"{sweep.configuration}, {question.key}: {intent} is read as {reading}: {text!r}"
                    )
                shown = prompts.tokens(world, sweep.arm, sweep.hint, question, sweep.model.characters_per_token)
                cache[key_of(world, sweep, run, question)] = [text, shown, classifier.grade(question, reading)]
    return caches
