"""The chains that replies name: true ones, invented ones, and those that never arrive."""

from __future__ import annotations

from kremis_sim.dice import Dice
from kremis_sim.worlds import Nodes, Question, World

LOOP_HOPS = (74, 88)


def others(world: World, dice: Dice, count: int, without: Nodes) -> Nodes:
    """Some registered services in no declared order."""
    return tuple(dice.shuffled([name for name in world.services if name not in without])[:count])


def across_the_gap(world: World, question: Question) -> Nodes:
    """Both declared parts of a broken chain, as if the withheld link were there."""
    before, after = world.withheld[question.key]
    start, stop = world.walk(question.source), world.walk(after)
    assert start[-1] == before and stop[-1] == question.target
    return start + stop


def backwards(world: World, question: Question) -> Nodes:
    """The declared chain of the other direction, turned round."""
    walk = world.walk(question.target)
    return tuple(reversed(walk[: walk.index(question.source) + 1]))


def detour(world: World, question: Question, dice: Dice, longest: int = 4) -> Nodes:
    """From the source along what is declared, then over stretches that do not connect, to the target."""
    start = world.walk(question.source)
    nodes = list(start[: dice.between(1, len(start))])
    for _ in range(dice.between(1, longest)):
        free = [name for name in world.services if name not in (*nodes, question.target)]
        if not free:
            break
        stretch = [name for name in world.walk(dice.pick(free)) if name not in (*nodes, question.target)]
        nodes += stretch[: dice.between(1, 4)]
    return (*[name for name in nodes if name != question.target], question.target)


def invented(world: World, question: Question, dice: Dice, how: str = "any") -> Nodes:
    """A chain from source to target where the registry has none."""
    ways = ["detour", "straight"]
    if question.key in world.withheld:
        ways += ["across", "across"]
    elif question.source in world.walk(question.target):
        ways += ["backwards", "backwards"]
    how = dice.pick(ways) if how == "any" else how
    if how == "across":
        return across_the_gap(world, question)
    if how == "backwards":
        return backwards(world, question)
    if how == "straight":
        return question.key
    return detour(world, question, dice, 2 if len(world.services) < 20 else 6)


def mistaken(world: World, question: Question, dice: Dice) -> Nodes:
    """From source to target, with a link skipped or a service put in that does not belong there."""
    assert question.truth is not None
    nodes = list(question.truth)
    if len(nodes) > 2 and dice.chance(0.5):
        del nodes[dice.between(1, len(nodes) - 2)]
    else:
        at = dice.between(1, len(nodes) - 1)
        nodes[at:at] = others(world, dice, 1, question.truth)
    return tuple(nodes)


def goal(world: World, question: Question, dice: Dice) -> Nodes:
    """What a reply that claims a chain would name: the true one where it can be seen, or else an invented one."""
    if question.truth and set(question.truth) <= set(world.services):
        return question.truth
    return invented(world, question, dice)


def astray(world: World, question: Question, dice: Dice) -> Nodes:
    """Known services from the source, ending elsewhere than at the target."""
    nodes = [name for name in detour(world, question, dice, 2)[:-1] if name != question.target]
    return (*nodes, *others(world, dice, dice.between(1, 2), (*nodes, question.target)))


def loop(world: World, question: Question, dice: Dice) -> Nodes:
    """From the source into a circle that is walked again and again, never to the target."""
    entry = [name for name in world.walk(question.source) if name != question.target][: dice.between(1, 4)]
    circle = others(world, dice, dice.between(3, 7 if len(world.services) > 20 else 4), (*entry, question.target))
    nodes = (*entry, *circle * (LOOP_HOPS[1] // len(circle) + 1))
    return nodes[: dice.between(*LOOP_HOPS) + 1]
