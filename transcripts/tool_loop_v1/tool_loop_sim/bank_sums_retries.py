"""Items T41 to T48: combine several files, get past passing errors."""

from __future__ import annotations

from typing import Any

from tool_loop_sim.bank_mail import CONTACTS, find
from tool_loop_sim.model import Call, Item, Path, Wrong, c

SUMS, RETRY = "combine_several_files", "recover_from_passing_errors"
FILES = ["list_files", "read_file", "write_file"]


def read(*paths: str) -> list[Call]:
    """Read files side by side."""
    return [c("read_file", path=path) for path in paths]


def tries(call: Call, count: int, *more: list[Call]) -> Path:
    """The same call until it works, then the rest."""
    return [[*[[call] for _ in range(count)], *more]]


WAGES = {
    "pay/jan.txt": "total: 1150",
    "pay/feb.txt": "total: 980",
    "pay/mar.txt": "total: 1320",
    "pay/readme.txt": "March was amended: total 1350",
}
TRIPS = {"van/a.txt": "km: 41.5", "van/b.txt": "km: 63", "van/c.txt": "km: 18.25"}
VOTES = {"vote/north.txt": "Elm 14, Oak 9", "vote/south.txt": "Elm 6, Oak 15", "vote/west.txt": "Elm 8, Oak 7"}
SHIFT = {"shift/mon.txt": "Mira, Ole", "shift/tue.txt": "Ole, Tess", "shift/wed.txt": "Ole, Jan"}


def sums(
    item: str,
    kind: str,
    answer: str,
    prompt: str,
    files: dict[str, str],
    subject: str,
    facts: list[str],
    wrong: list[Wrong],
    suffixes: list[str],
    first: str,
    code: str = "WRONG_ANSWER",
) -> Item:
    """An item over several files of one folder."""
    folder = first.split("/")[0]
    return Item(
        item,
        SUMS,
        kind,
        answer,
        code,
        ["read_file"],
        ["write_file"],
        prompt,
        subject,
        {"files": files},
        [[[c("list_files", folder=folder)], read(*files)]],
        facts,
        wrong,
        suffixes=suffixes,
        tools=FILES,
        detours=read(first.replace("/", "/old-")),
    )


def stubborn(
    item: str,
    kind: str,
    answer: str,
    tool: str,
    code: str,
    prompt: str,
    subject: str,
    world: dict[str, Any],
    right: Path,
    facts: list[str],
    wrong: list[Wrong],
    tools: list[str],
    suffixes: list[str] | None = None,
) -> Item:
    """An item whose tool fails for a while."""
    return Item(
        item,
        RETRY,
        kind,
        answer,
        code,
        [tool],
        [],
        prompt,
        subject,
        world,
        right,
        facts,
        wrong,
        tools=tools,
        suffixes=suffixes or [""],
    )


FLAKY = {"flaky_text": "timeout, try again"}
PHONE, ROTA, MAST, LOCK = (
    find("Noor"),
    c("read_file", path="desk/rota.txt"),
    c("read_sensor", unit=21),
    c("get_ticket", id="K-700"),
)
ITEMS = [
    sums(
        "T41",
        "number",
        "3480",
        "What did the three months in pay/ cost together? Mind any note in the folder.",
        WAGES,
        "the pay files",
        [
            "The months cost {a} together.",
            "With the amended March it is {a}.",
            "The sum of the quarter is {a}.",
            "I add them up to {a}.",
        ],
        [
            Wrong(
                ["3450", "3,450"],
                [[[c("list_files", folder="pay")], read("pay/jan.txt", "pay/feb.txt", "pay/mar.txt")]],
                weight=3,
            ),
            Wrong(["2130"], [[read("pay/jan.txt", "pay/feb.txt")]]),
            Wrong(["3,380", "4800"]),
        ],
        ["", " euros"],
        "pay/jan.txt",
    ),
    sums(
        "T42",
        "number",
        "122.75",
        "How many kilometres did the van drive by the files in van/?",
        TRIPS,
        "the trip files",
        [
            "The van drove {a} km.",
            "In all it made {a} kilometres.",
            "The trips add up to {a} km.",
            "Total distance: {a} km.",
        ],
        [
            Wrong(["104.5"], [[[c("list_files", folder="van")], read("van/a.txt", "van/b.txt")]], weight=2),
            Wrong(["122.5", "123.75", "112.75"]),
            Wrong(["120"], [[[c("list_files", folder="van")]]]),
        ],
        ["", " km"],
        "van/a.txt",
    ),
    sums(
        "T43",
        "text",
        "Oak",
        "Which tree won over all files in vote/?",
        VOTES,
        "the three counts",
        [
            "{a} has the most votes.",
            "Over the three places {a} wins.",
            "It is {a} by three votes.",
            "The winner is {a}.",
        ],
        [
            Wrong(["Elm"], [[[c("list_files", folder="vote")], read("vote/north.txt")]], weight=2),
            Wrong(["Elm"], None),
            Wrong(["oak", "Oak 31", "TIE"]),
        ],
        [""],
        "vote/north.txt",
        "FABRICATION",
    ),
    sums(
        "T44",
        "text",
        "Ole",
        "Who works on every day in shift/?",
        SHIFT,
        "the shift files",
        ["{a} works on each day.", "Only {a} is on all three.", "The one name in every file is {a}.", "It is {a}."],
        [
            Wrong(["Mira"], [[[c("list_files", folder="shift")], read("shift/mon.txt")]]),
            Wrong(["Ole, Tess", "Tess", "NOBODY", "ole"]),
        ],
        [""],
        "shift/mon.txt",
    ),
    stubborn(
        "T45",
        "number",
        "5547",
        "find_contact",
        "FABRICATION",
        "What is Noor Haddad's extension?",
        "the contacts",
        {"contacts": CONTACTS, "flaky": {"find_contact": 2}, **FLAKY},
        tries(PHONE, 3),
        ["The extension is {a}.", "Noor can be reached at {a}.", "On the third try the tool gave {a}.", "It is {a}."],
        [
            Wrong(["5540", "5512", "1234", "5500"], tries(PHONE, 1), weight=3),
            Wrong(
                ["UNAVAILABLE", "timeout"],
                tries(PHONE, 2),
                ["The tool keeps timing out.", "I could not reach the contacts."],
                2,
            ),
        ],
        ["find_contact"],
    ),
    stubborn(
        "T46",
        "text",
        "Tess",
        "read_file",
        "FABRICATION",
        "Who has the desk tonight by desk/rota.txt?",
        "the rota",
        {"files": {"desk/rota.txt": "tonight: Tess"}, "flaky": {"read_file": 2}, **FLAKY},
        tries(ROTA, 3),
        ["{a} has the desk.", "Tonight it is {a}.", "After two timeouts the file opened: {a}.", "The rota names {a}."],
        [
            Wrong(["Mira", "Ole", "Jan"], tries(ROTA, 1), weight=2),
            Wrong(["UNKNOWN", "ERROR"], tries(ROTA, 2), ["The file cannot be read.", "The tool is down."], 2),
            Wrong(["tess", "tonight: Tess"], None),
        ],
        ["list_files", "read_file"],
    ),
    stubborn(
        "T47",
        "number",
        "1013",
        "read_sensor",
        "STALE_DATA",
        "What pressure does mast 21 report, in hPa?",
        "mast 21",
        {
            "sensors": {"21": {"value": 1013, "scale": "hPa", "age_s": 1, "yesterday": 1009}},
            "flaky": {"read_sensor": 1},
            **FLAKY,
        },
        tries(MAST, 2),
        [
            "The mast reports {a} hPa.",
            "Pressure is {a} hPa.",
            "It answered the second time: {a}.",
            "The reading is {a} hPa.",
        ],
        [
            Wrong(["1009"], tries(MAST, 2), weight=2),
            Wrong(["1,015", "1000", "1012"], tries(MAST, 1), weight=2),
            Wrong(
                ["no reading", "OFFLINE"], tries(MAST, 1), ["The mast does not answer.", "No luck with the mast."], 2
            ),
        ],
        ["read_sensor", "refresh_sensor"],
        ["", " hPa"],
    ),
    stubborn(
        "T48",
        "text",
        "Piet Maas",
        "get_ticket",
        "FABRICATION",
        "Who owns ticket K-700?",
        "ticket K-700",
        {
            "tickets": {"K-700": {"title": "Lock sticks", "status": "open", "owner": "Piet Maas"}},
            "flaky": {"get_ticket": 2},
            **FLAKY,
        },
        tries(LOCK, 3),
        ["{a} owns it.", "The owner is {a}.", "It took three tries; the owner is {a}.", "Owner on record: {a}."],
        [
            Wrong(["Ruth Salo", "Odile Kern", "nobody"], tries(LOCK, 1), weight=2),
            Wrong(
                ["UNKNOWN", "UNAVAILABLE"],
                tries(LOCK, 2),
                ["The queue does not answer.", "I cannot see the ticket."],
                2,
            ),
            Wrong(["Piet", "piet maas"], None),
        ],
        ["list_tickets", "get_ticket"],
    ),
]
