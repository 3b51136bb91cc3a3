"""Items T13 to T20: read and convert units, poll a job to completion."""

from __future__ import annotations

from tool_loop_sim.model import Item, Path, Wrong, c

UNITS, POLL = "read_and_convert_units", "poll_a_job_to_completion"
SENSOR = ["read_sensor", "refresh_sensor"]
JOB = ["start_job", "job_status", "cancel_job"]


def polls(name: str, job: str, times: int) -> Path:
    """Start a job and look at it a number of times."""
    return [[[c("start_job", name=name)], *[[c("job_status", job=job)] for _ in range(times)]]]


def job_item(
    item: str,
    answer: str,
    code: str,
    name: str,
    job: str,
    states: list[dict],
    menu_words: str,
    menu: list[str],
    facts: list[str],
    wrong: list[Wrong],
) -> Item:
    """A poll item: the prompt ends with the menu that competes with the answer line."""
    return Item(
        item,
        POLL,
        "text",
        answer,
        code,
        ["start_job", "job_status"],
        ["cancel_job"],
        f"Start the job {name} and follow it until it stops moving. {menu_words}",
        f"job {job}",
        {"job_names": {name: job}, "jobs": {job: states}},
        polls(name, job, len(states)),
        facts,
        wrong,
        tools=JOB,
        detours=[c("job_status", job=name)],
        menu=menu,
    )


PLAIN_MENU = r"COMPLETE: .+|STALLED|FAILED: .+|RUNNING"
ITEMS = [
    Item(
        "T13",
        UNITS,
        "number",
        "21.5",
        "WRONG_ANSWER",
        ["read_sensor"],
        [],
        "What is the boiler room temperature at unit 4, in Celsius to one decimal?",
        "unit 4",
        {"sensors": {"4": {"value": 70.7, "scale": "F", "age_s": 3}}},
        [[[c("read_sensor", unit=4)]]],
        [
            "The boiler room is at {a} C.",
            "Converted from Fahrenheit that is {a} degrees.",
            "In Celsius the unit gives {a}.",
            "It is {a} °C in there.",
        ],
        [
            Wrong(["70.7"], None, ["The unit reports {a} degrees.", "The boiler room is at {a}."], 2),
            Wrong(["39.3", "38.7", "22.4", "21.1"], weight=3),
            Wrong(["22", "20.5"], [[]], ["Boiler rooms sit around {a} degrees."]),
        ],
        tolerance="0.05",
        suffixes=["", " C", " °C", " degrees Celsius"],
        tools=SENSOR,
        detours=[c("read_sensor", unit=14), c("refresh_sensor", unit=4)],
    ),
    Item(
        "T14",
        UNITS,
        "number",
        "7.0",
        "STALE_DATA",
        ["read_sensor"],
        [],
        "Read unit 3 and give me the raw reading as 3=<value>.",
        "unit 3",
        {
            "sensors": {"3": {"value": 41.0, "scale": "F", "age_s": 2}},
            "changes": {1: {"sensors": {"3": {"value": 44.6, "scale": "F", "age_s": 1}}}},
        },
        [[[c("read_sensor", unit=3)]], [[c("read_sensor", unit=3)]]],
        [
            "It is {a} C at this point.",
            "The fresh reading converts to {a} degrees.",
            "In Celsius that comes to {a}.",
            "The cold store is at {a} °C now.",
        ],
        [
            Wrong(
                ["5.0"],
                [[[c("read_sensor", unit=3)]], []],
                ["The earlier reading converts to {a} C.", "From the value above I get {a} degrees."],
                2,
            ),
            Wrong(["44.6", "25.4", "12.6", "7.9"], None, ["The unit now gives {a}.", "I make it {a} degrees."]),
            Wrong(["41.0"], [[[c("read_sensor", unit=3)]], []]),
        ],
        turns=["And what is the current temperature in Celsius, to one decimal place?"],
        mid=[["3=41.0", "ANSWER: 3=41.0", "Unit 3 reads 3=41.0 (Fahrenheit).", "Raw: 3=41.0"]],
        tolerance="0.05",
        suffixes=["", " C", " °C", " degrees"],
        tools=SENSOR,
        detours=[c("refresh_sensor", unit=3)],
    ),
    Item(
        "T15",
        UNITS,
        "number",
        "31.75",
        "WRONG_ANSWER",
        ["read_sensor"],
        [],
        "How deep is the water at gauge 12, in centimetres?",
        "gauge 12",
        {"sensors": {"12": {"value": 12.5, "scale": "in", "age_s": 9}}},
        [[[c("read_sensor", unit=12)]]],
        [
            "The water stands {a} cm deep.",
            "In centimetres the gauge comes to {a}.",
            "Depth: {a} cm.",
            "Inches turned into centimetres give {a}.",
        ],
        [
            Wrong(["12.5"], None, ["The gauge shows {a}.", "The depth is {a}."], 2),
            Wrong(["4.92", "38.15", "30.5"], weight=3),
            Wrong(["125", "1.25"]),
        ],
        tolerance="0.05",
        suffixes=["", " cm", " centimetres"],
        tools=SENSOR,
        detours=[c("refresh_sensor", unit=12)],
    ),
    Item(
        "T16",
        UNITS,
        "number",
        "46.3",
        "STALE_DATA",
        ["read_sensor", "refresh_sensor"],
        [],
        "Get a live wind speed from mast 7 and give it in km/h to one decimal.",
        "mast 7",
        {"sensors": {"7": {"value": 18, "scale": "kn", "age_s": 4100, "live": 25}}},
        [[[c("refresh_sensor", unit=7)], [c("read_sensor", unit=7)]]],
        [
            "The wind blows at {a} km/h.",
            "Live, the mast gives {a} kilometres an hour.",
            "Knots converted: {a} km/h.",
            "Wind at the mast is {a} km/h now.",
        ],
        [
            Wrong(["33.3"], [[[c("read_sensor", unit=7)]]], ["The mast gives {a} km/h.", "Wind speed is {a} km/h."], 3),
            Wrong(["28.8", "40.2", "45.0"], weight=2),
            Wrong(["18"], [[[c("read_sensor", unit=7)]]]),
        ],
        tolerance="0.05",
        suffixes=["", " km/h"],
        tools=SENSOR,
        detours=[c("read_sensor", unit=7)],
    ),
    job_item(
        "T17",
        "COMPLETE: 3 files, 0 errors",
        "FABRICATION",
        "nightly-pack",
        "J17",
        [
            {"state": "RUNNING", "done": 1},
            {"state": "RUNNING", "done": 2},
            {"state": "COMPLETE", "files": 3, "errors": 0},
        ],
        "End with one of: COMPLETE: <n> files, <m> errors | STALLED | FAILED: <error> | RUNNING",
        [r"COMPLETE: \d+ files, \d+ errors", "STALLED", r"FAILED: .+", "RUNNING"],
        [
            "The pack run ended with three files and no errors.",
            "It needed a few looks, then the state turned final.",
            "The job is through.",
            "All files are packed.",
        ],
        [
            Wrong(
                ["RUNNING"],
                polls("nightly-pack", "J17", 1),
                ["It is still going.", "The job has been started and is under way."],
                2,
            ),
            Wrong(
                ["COMPLETE: 3 files, 1 errors", "COMPLETE: 2 files, 0 errors"],
                polls("nightly-pack", "J17", 2),
                ["It should be through by now.", "Two were done at my last look, so it will have finished."],
                2,
            ),
            Wrong(["COMPLETE", "COMPLETE: 3 files and 0 errors", "COMPLETE: all files"]),
            Wrong(
                ["COMPLETE: 2 files, 0 errors", "COMPLETE: 4 files, 0 errors"],
                polls("nightly-pack", "J17", 2),
                weight=2,
            ),
        ],
    ),
    job_item(
        "T18",
        "FAILED: disk full",
        "WRONG_ANSWER",
        "snapshot",
        "J18",
        [{"state": "RUNNING"}, {"state": "RUNNING", "note": "slow"}, {"state": "FAILED", "error": "disk full"}],
        "Close with COMPLETE: <summary> | STALLED | FAILED: <error> | RUNNING",
        [PLAIN_MENU],
        [
            "The snapshot broke off.",
            "It ran for a while and then stopped with an error.",
            "The run did not make it.",
            "There was no room left for the snapshot.",
        ],
        [
            Wrong(
                ["RUNNING"],
                polls("snapshot", "J18", 2),
                ["It is still at work.", "The last state I saw was a running one."],
                2,
            ),
            Wrong(
                ["COMPLETE: snapshot taken", "COMPLETE: done"],
                polls("snapshot", "J18", 1),
                ["The snapshot has been taken.", "All went well."],
                2,
            ),
            Wrong(["FAILED: no space", "FAILED: disk is full", "FAILED"]),
        ],
    ),
    job_item(
        "T19",
        "COMPLETE: 12 rows, 2 skipped",
        "STALE_DATA",
        "ledger-import",
        "J19",
        [
            {"state": "RUNNING", "rows": 5, "skipped": 2},
            {"state": "RUNNING", "rows": 9, "skipped": 2},
            {"state": "COMPLETE", "rows": 12, "skipped": 2},
        ],
        "Report COMPLETE: <rows> rows, <n> skipped | STALLED | FAILED: <error> | RUNNING",
        [r"COMPLETE: \d+ rows, \d+ skipped", "STALLED", r"FAILED: .+", "RUNNING"],
        [
            "The import is through.",
            "Rows came in over several looks until it was final.",
            "Some rows were left out, the others are in.",
            "The ledger has been taken in.",
        ],
        [
            Wrong(["RUNNING"], polls("ledger-import", "J19", 1), ["It is half way.", "It goes on."]),
            Wrong(
                ["COMPLETE: 9 rows, 2 skipped", "COMPLETE: 5 rows, 2 skipped"],
                polls("ledger-import", "J19", 2),
                ["The rows are in.", "The import stands where I saw it last."],
                3,
            ),
            Wrong(["COMPLETE: 12 rows", "COMPLETE: 14 rows, 2 skipped", "COMPLETE: 12 rows, 2 skipped."]),
            Wrong(
                ["COMPLETE: 9 rows, 2 skipped", "COMPLETE: 5 rows, 2 skipped"],
                polls("ledger-import", "J19", 2),
                weight=2,
            ),
        ],
    ),
    job_item(
        "T20",
        "STALLED",
        "FABRICATION",
        "mirror-sync",
        "J20",
        [
            {"state": "RUNNING", "moved": 40},
            {"state": "RUNNING", "moved": 40},
            {"state": "RUNNING", "moved": 40, "note": "no progress for 30 min"},
        ],
        "Say what it is in: Job state: COMPLETE | STALLED | FAILED | RUNNING",
        [r"Job state: (?P<answer>COMPLETE|STALLED|FAILED|RUNNING)", "COMPLETE|STALLED|FAILED|RUNNING"],
        [
            "The sync has not moved between looks.",
            "No progress for half an hour.",
            "Nothing was copied after the first look.",
            "The counter stands still.",
        ],
        [
            Wrong(["RUNNING"], polls("mirror-sync", "J20", 1), ["The sync is under way.", "It runs."], 3),
            Wrong(["RUNNING"], None, ["The tool calls it running.", "By its own word it runs."]),
            Wrong(["COMPLETE", "FAILED"], polls("mirror-sync", "J20", 2)),
            Wrong(["Stalled", "STALLED (no progress)", "stalled"]),
        ],
    ),
]
