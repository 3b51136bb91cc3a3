"""Items T29 to T36: page through results, and triage the queue."""

from __future__ import annotations

from typing import Any

from tool_loop_sim.model import Item, Path, Wrong, c

PAGES, TRIAGE = "page_through_results", "triage_the_queue"
TOKENS = {"call": "list_page", "argument": "token", "first": "start"}


def walk(name: str, tokens: list[str], count: int | None = None) -> Path:
    """Follow the issued tokens, all of them or the first few pages."""
    return [[[c("list_page", list=name)], *[[c("list_page", list=name, token=t)] for t in tokens[1:count]]]]


def leap(name: str, count: int) -> Path:
    """Page numbers made up as tokens, asked for side by side."""
    return [[[c("list_page", list=name)], [c("list_page", list=name, token=f"page_{n}") for n in range(2, count + 1)]]]


def page_item(
    item: str,
    kind: str,
    answer: str,
    prompt: str,
    name: str,
    tokens: list[str],
    pages: list[list[Any]],
    facts: list[str],
    short: list[tuple[int, str]],
    others: list[str],
    suffixes: list[str],
) -> Item:
    """A paging item: `short` gives the answers of those who stop after some pages."""
    wrong = [
        Wrong(
            [text],
            walk(name, tokens, pages_read),
            ["That is all the list gave: {a}.", "From the rows returned I get {a}.", *facts[:2]],
            2,
        )
        for pages_read, text in short
    ]
    return Item(
        item,
        PAGES,
        kind,
        answer,
        "MISSED_PAGE",
        ["list_page"],
        [],
        prompt,
        f"the list of {name}",
        {"pages": {name: pages}, "tokens": tokens},
        walk(name, tokens),
        facts,
        [*wrong, Wrong(others), Wrong(others, leap(name, len(tokens)), weight=0.6)],
        suffixes=suffixes,
        tools=["list_page"],
        detours=[c("list_page", list=name, token="start")],
        tokens=TOKENS,
        guess=leap(name, len(tokens)),
    )


DESK = {
    "K-601": {"title": "Door alarm", "status": "open", "owner": "nobody", "priority": "urgent"},
    "K-602": {"title": "Spare keys", "status": "open", "owner": "Ruth Salo", "priority": "low"},
    "K-603": {
        "title": "Leak under sink",
        "status": "open",
        "owner": "nobody",
        "priority": "normal",
        "comment": "same leak as K-605",
    },
    "K-605": {"title": "Water in the kitchen", "status": "open", "owner": "Piet Maas", "priority": "urgent"},
}
LIST = c("list_tickets", status="open")
DESK_TOOLS = ["list_tickets", "get_ticket", "update_ticket", "close_ticket"]


def see(*numbers: int) -> list[Any]:
    """Look at tickets side by side."""
    return [c("get_ticket", id=f"K-{n}") for n in numbers]


def assign(number: int, owner: str) -> Any:
    """Give a ticket to somebody."""
    return c("update_ticket", id=f"K-{number}", field="owner", value=owner)


ITEMS = [
    page_item(
        "T29",
        "number",
        "11",
        "How many orders are there in the list orders? It comes in pages.",
        "orders",
        ["start", "q2-8fd", "q3-1ca"],
        [["O1", "O2", "O3", "O4"], ["O5", "O6", "O7", "O8"], ["O9", "O10", "O11"]],
        [
            "There are {a} orders.",
            "Over all pages I count {a} orders.",
            "The list holds {a} rows.",
            "{a} orders in three pages.",
        ],
        [(1, "4"), (2, "8")],
        ["12", "10", "3"],
        ["", " orders"],
    ),
    page_item(
        "T30",
        "number",
        "1240",
        "What do the amounts in the list invoices add up to?",
        "invoices",
        ["start", "r2-77b", "r3-e05"],
        [[310, 120], [405, 95], [250, 60]],
        [
            "The invoices add up to {a}.",
            "Over the pages the total is {a}.",
            "Summing each page gives {a}.",
            "All amounts together are {a}.",
        ],
        [(1, "430"), (2, "930")],
        ["1,180", "1,250", "1,340"],
        ["", " euros"],
    ),
    page_item(
        "T31",
        "text",
        "Wanda",
        "Who is the last person in the list visitors?",
        "visitors",
        ["start", "v2-b31"],
        [["Abel", "Britt", "Cato"], ["Noor", "Wanda"]],
        [
            "The last visitor is {a}.",
            "At the end of the list stands {a}.",
            "{a} closes the list.",
            "On the final page the last row is {a}.",
        ],
        [(1, "Cato"), (1, "Britt")],
        ["Noor", "wanda"],
        [""],
    ),
    page_item(
        "T32",
        "text",
        "P-19",
        "Which part in the list parts is marked recalled? Give its id.",
        "parts",
        ["start", "x2-0d9", "x3-64a"],
        [["P-02 ok", "P-07 ok"], ["P-11 ok", "P-14 ok"], ["P-19 recalled", "P-23 ok"]],
        [
            "{a} carries the mark.",
            "The recalled part is {a}.",
            "Only {a} is marked.",
            "On the last page {a} is marked as recalled.",
        ],
        [(1, "NONE"), (2, "NONE")],
        ["P-14", "P19", "19", "P-23"],
        [""],
    ),
    Item(
        "T33",
        TRIAGE,
        "text",
        "K-601",
        "WRONG_ANSWER",
        ["list_tickets", "get_ticket"],
        ["close_ticket", "update_ticket"],
        "Which open ticket is urgent and has no owner yet? Give its id.",
        "the open tickets",
        {"tickets": DESK},
        [[[LIST], see(601, 603)]],
        [
            "Urgent and without owner: {a}.",
            "Only {a} is both.",
            "{a} fits, the others have an owner or can wait.",
            "I would say {a}.",
        ],
        [
            Wrong(["K-605"], [[[LIST], see(605)]]),
            Wrong(["K-603"], [[[LIST], see(603)]]),
            Wrong(["K-601 and K-605", "K-601, K-603", "601"]),
            Wrong(["K-601"], [[[LIST]]], ["By its title {a}.", "{a}, the door alarm."], 2),
        ],
        tools=DESK_TOOLS,
        detours=see(602),
    ),
    Item(
        "T34",
        TRIAGE,
        "number",
        "2",
        "FABRICATION",
        ["list_tickets", "get_ticket"],
        ["close_ticket"],
        "How many open tickets are marked urgent?",
        "the open tickets",
        {"tickets": DESK},
        [[[LIST], see(601, 602, 603, 605)]],
        [
            "{a} tickets are urgent.",
            "I find {a} with that mark.",
            "Of four open tickets {a} are urgent.",
            "The urgent ones number {a}.",
        ],
        [
            Wrong(["1"], [[[LIST], see(601)]], weight=2),
            Wrong(["3", "4"]),
            Wrong(["2"], [[[LIST]]], ["I take {a} of them to be urgent.", "By the titles {a} are urgent."], 2),
        ],
        suffixes=["", " tickets"],
        tools=DESK_TOOLS,
        detours=see(604),
    ),
    Item(
        "T35",
        TRIAGE,
        "text",
        "owner=Ruth Salo",
        "WRONG_ANSWER",
        ["update_ticket", "get_ticket"],
        ["close_ticket"],
        "Assign K-601 to Ruth Salo and show the field as the ticket then has it, as owner=<name>.",
        "ticket K-601",
        {"tickets": DESK},
        [[[assign(601, "Ruth Salo")], see(601)]],
        ["The ticket shows {a}.", "Assigned, the field is {a}.", "It now has {a}.", "Read back: {a}."],
        [
            Wrong(["owner=Ruth"], [[[assign(601, "Ruth")], see(601)]]),
            Wrong(["owner=Ruth Salo"], [[[assign(601, "Ruth Salo")]]], ["I set {a}.", "It is {a} now."], 2),
            Wrong(["owner = Ruth Salo", "owner=ruth salo", "Ruth Salo", "owner=nobody"]),
        ],
        tools=DESK_TOOLS,
        detours=[LIST],
    ),
    Item(
        "T36",
        TRIAGE,
        "text",
        "K-605",
        "WRONG_ANSWER",
        ["get_ticket"],
        ["close_ticket"],
        "K-603 is a duplicate of another ticket. Of which? Do not close anything.",
        "ticket K-603",
        {"tickets": DESK},
        [[see(603)]],
        ["It repeats {a}.", "The comment points to {a}.", "It is the same leak as in {a}.", "The other ticket is {a}."],
        [
            Wrong(
                ["K-605"],
                [[see(603), [c("close_ticket", id="K-603")]]],
                ["It repeats {a}; I closed the copy.", "{a}, and the duplicate is closed."],
                2,
            ),
            Wrong(["K-601", "K-602"], [[[LIST]]], ["By the titles it is {a}.", "It looks like {a}."], 2),
            Wrong(["K-603", "605", "ticket K-605"]),
        ],
        tools=DESK_TOOLS,
        detours=[LIST, *see(605)],
    ),
]
