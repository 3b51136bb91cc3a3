"""Items T21 to T24: writes that fail silently."""

from __future__ import annotations

from tool_loop_sim.model import Call, Item, Wrong, c

WRITES = "verify_a_silent_write"
FILES = ["list_files", "read_file", "write_file"]


def write_twice(path: str, text: str) -> list[list[list[Call]]]:
    """Write, look, write again, look again."""
    write, read = c("write_file", path=path, text=text), c("read_file", path=path)
    return [[[write], [read], [write], [read]]]


ITEMS = [
    Item(
        "T21",
        WRITES,
        "text",
        "gate: closed",
        "UNVERIFIED",
        ["write_file", "read_file"],
        [],
        "Write the text 'gate: closed' to site/gate.txt and answer with what the file holds when you are done.",
        "the gate file",
        {"files": {"site/gate.txt": "gate: open"}, "silent": {"site/gate.txt": 1}},
        write_twice("site/gate.txt", "gate: closed"),
        [
            "The file holds {a}.",
            "After the second write it reads {a}.",
            "The first write did not stick; now it says {a}.",
            "Stored text: {a}.",
        ],
        [
            Wrong(
                ["gate: closed"],
                [[[c("write_file", path="site/gate.txt", text="gate: closed")]]],
                ["I wrote {a}.", "The file now holds {a}.", "The tool said ok, so it holds {a}."],
                3,
            ),
            Wrong(
                ["gate: open"],
                [
                    [
                        [c("write_file", path="site/gate.txt", text="gate: closed")],
                        [c("read_file", path="site/gate.txt")],
                    ]
                ],
                ["It holds {a}; the write did not take.", "The file says {a}."],
            ),
            Wrong(["closed", "Gate: closed", "'gate: closed'"]),
        ],
        tools=FILES,
        detours=[c("list_files", folder="site")],
    ),
    Item(
        "T22",
        WRITES,
        "number",
        "450",
        "UNVERIFIED",
        ["write_file", "read_file"],
        [],
        "Set the limit in conf/limits.txt to 450 and report the limit that the file holds afterwards.",
        "the limits file",
        {"files": {"conf/limits.txt": "limit: 300"}, "silent": {"conf/limits.txt": 1}},
        write_twice("conf/limits.txt", "limit: 450"),
        [
            "The limit on file is {a}.",
            "Read back, the limit is {a}.",
            "It took two writes, the file says {a} now.",
            "The stored limit is {a}.",
        ],
        [
            Wrong(
                ["450"],
                [[[c("write_file", path="conf/limits.txt", text="limit: 450")]]],
                ["I set the limit to {a}.", "The limit is {a} now."],
                3,
            ),
            Wrong(
                ["300"],
                [
                    [
                        [c("write_file", path="conf/limits.txt", text="limit: 450")],
                        [c("read_file", path="conf/limits.txt")],
                    ]
                ],
                ["The file holds {a}.", "Reading it back shows {a}."],
                2,
            ),
            Wrong(["0", "500"], [[]]),
        ],
        tools=FILES,
        detours=[c("list_files", folder="conf")],
    ),
    Item(
        "T23",
        WRITES,
        "text",
        "urgent",
        "UNVERIFIED",
        ["update_ticket", "get_ticket"],
        ["close_ticket"],
        "Raise ticket K-512 to urgent. Answer with the priority that the queue shows in the end.",
        "ticket K-512",
        {
            "tickets": {
                "K-512": {"title": "Cooling alarm", "status": "open", "owner": "Piet Maas", "priority": "normal"}
            },
            "silent": {"K-512": 1},
        },
        [
            [
                [c("update_ticket", id="K-512", field="priority", value="urgent")],
                [c("get_ticket", id="K-512")],
                [c("update_ticket", id="K-512", field="priority", value="urgent")],
                [c("get_ticket", id="K-512")],
            ]
        ],
        [
            "The queue shows {a}.",
            "Its priority is {a}, after a second try.",
            "The ticket reads {a} now.",
            "Priority on record: {a}.",
        ],
        [
            Wrong(
                ["urgent"],
                [[[c("update_ticket", id="K-512", field="priority", value="urgent")]]],
                ["I raised it to {a}.", "Its priority is {a}."],
                3,
            ),
            Wrong(
                ["normal"],
                [[[c("update_ticket", id="K-512", field="priority", value="urgent")], [c("get_ticket", id="K-512")]]],
                ["It shows {a}.", "The queue keeps it at {a}."],
                2,
            ),
            Wrong(["Urgent", "high", "URGENT"]),
        ],
        tools=["get_ticket", "update_ticket", "close_ticket"],
        detours=[c("get_ticket", id="K-521")],
    ),
    Item(
        "T24",
        WRITES,
        "number",
        "5",
        "UNVERIFIED",
        ["write_file", "read_file"],
        [],
        "Add the line 'e: tape' to shed/list.txt. How many lines does the file hold in the end?",
        "the shed list",
        {"files": {"shed/list.txt": "a: rope\nb: nails\nc: paint\nd: glue"}, "silent": {"shed/list.txt": 1}},
        [
            [
                [c("read_file", path="shed/list.txt")],
                *write_twice("shed/list.txt", "a: rope\nb: nails\nc: paint\nd: glue\ne: tape")[0],
            ]
        ],
        [
            "The list holds {a} lines.",
            "Counted after the write: {a} lines.",
            "With tape added there are {a} lines.",
            "{a} lines are on file.",
        ],
        [
            Wrong(
                ["4"],
                [
                    [
                        [c("read_file", path="shed/list.txt")],
                        [c("write_file", path="shed/list.txt", text="e: tape")],
                        [c("read_file", path="shed/list.txt")],
                    ]
                ],
                ["The file holds {a} lines.", "I count {a} lines."],
                2,
            ),
            Wrong(
                ["1"],
                [
                    [
                        [c("write_file", path="shed/list.txt", text="e: tape")],
                        [c("write_file", path="shed/list.txt", text="e: tape")],
                        [c("read_file", path="shed/list.txt")],
                    ]
                ],
            ),
            Wrong(
                ["5"],
                [[[c("write_file", path="shed/list.txt", text="a: rope\nb: nails\nc: paint\nd: glue\ne: tape")]]],
                ["It should hold {a} lines.", "There are {a} lines."],
                2,
            ),
            Wrong(["6"], None),
        ],
        suffixes=["", " lines"],
        tools=FILES,
        detours=[c("list_files", folder="shed")],
    ),
]
