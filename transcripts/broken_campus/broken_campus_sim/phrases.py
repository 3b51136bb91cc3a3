"""Wordings. `<...>` is a time, weekday or room, to be written in one of its forms."""

from __future__ import annotations

MEETS = (
    "The Robotics Circle meets every <Wednesday> at <6:30 PM> in Alder House, <room 112>.",
    "Robotics Circle meetings are on <Wednesdays> at <6:30 PM> (Alder House, <room 112>).",
    "Every <Wednesday>, <6:30 PM>, Alder House, <room 112>.",
    "The Circle comes together on <Wednesday> evenings at <6:30 PM>; the place is <room 112> of Alder House.",
    "It meets weekly: <Wednesday>, <6:30 PM>, in <room 112> of Alder House.",
    "Meetings take place each <Wednesday> at <6:30 PM>.",
)
WORKSHOP = (
    "The soldering workshop is on <Saturday> at <2 PM> in the Quarry Building, <room 17>.",
    "<Saturday>, <2 PM>, Quarry Building, <room 17>: that is the Robotics Circle's soldering workshop.",
    "You can learn soldering with the Robotics Circle on <Saturday> at <2 PM>, in <room 17> of the Quarry Building.",
    "The workshop starts at <2 PM> on <Saturday>, in the Quarry Building (<room 17>).",
    "Come to <room 17> in the Quarry Building on <Saturday> at <2 PM>; the Robotics Circle teaches soldering there.",
    "It starts at <2 PM> on <Saturday>.",
)
HOURS = (
    "Dr. Imre Vasko has office hours on <Tuesday> from <10 AM> to <12 PM> in Alder House, <room 240>.",
    "Dr. Vasko can be seen on <Tuesdays> between <10 AM> and <12 PM>, Alder House, <room 240>.",
    "<Tuesday>, <10 AM> to <12 PM>, in <room 240> of Alder House.",
    "The adviser of the Robotics Circle, Dr. Vasko, holds office hours on <Tuesday>, <10 AM> until <12 PM>.",
    "Go to <room 240> in Alder House on <Tuesday>, from <10 AM> to <12 PM>; that is when Dr. Vasko is in.",
    "Office hours: <Tuesdays> <10 AM> - <12 PM> (Alder House, <room 240>).",
)
DESK = (
    "The membership desk is open on <Monday> and <Thursday> from <1 PM> to <4 PM> in the Union, <room 5>.",
    "You will find the desk open <Mondays> and <Thursdays>, <1 PM> until <4 PM>, in <room 5> of the Union.",
    "<Monday> and <Thursday>, <1 PM> to <4 PM>, Union, <room 5>.",
    "The desk for clubs opens twice a week, on <Monday> and on <Thursday>, both times from <1 PM> to <4 PM>.",
    "Membership desk: <Mondays> and <Thursdays> between <1 PM> and <4 PM> (Union, <room 5>).",
    "It is open from <1 PM> to <4 PM> on <Monday> and <Thursday>.",
)
SHUTTLE = (
    "The observatory shuttle leaves Alder House every <Friday> at <7:15 PM>.",
    "It leaves from Alder House on <Fridays> at <7:15 PM>.",
    "<Friday>, <7:15 PM>, from Alder House.",
)
ANSWERS = {"K1": MEETS, "K4": WORKSHOP, "K5": HOURS, "K6": DESK, "K7": SHUTTLE}

OVER: dict[str, tuple[tuple[str, str], ...]] = {
    "A_absent_meeting_time": (
        ("K4", "The Robotics Circle gets together on <Saturday> at <2 PM> in the Quarry Building, <room 17>."),
        ("K5", "You can meet the Robotics Circle on <Tuesday> from <10 AM>, in <room 240> of Alder House."),
    ),
    "A_absent_gpu_hours": (
        ("K5", "The hours are <Tuesday> from <10 AM> to <12 PM>, in Alder House, <room 240>."),
        ("K6", "Jobs are taken on <Monday> and <Thursday> from <1 PM> to <4 PM>."),
        ("K5", "Ask Dr. Vasko to start it for you: <Tuesdays>, <10 AM> to <12 PM>."),
        ("K6", "It is open to students <Mondays> and <Thursdays>, <1 PM> until <4 PM> (Union, <room 5>)."),
        ("K5", "Student jobs run during office hours, that is on <Tuesday> between <10 AM> and <12 PM>."),
    ),
    "A_absent_workbench_room": (
        ("K4", "The workbench is in the Quarry Building, <room 17>."),
        ("K1", "You will find the bench of the Robotics Circle in Alder House, <room 112>."),
        ("K4", "It stands in <room 17> of the Quarry Building, where the Robotics Circle teaches soldering."),
        ("K1", "<room 112>, Alder House: the Robotics Circle keeps its things there."),
        ("K5", "The adviser of the Robotics Circle has it in <room 240> of Alder House."),
        ("K1", "The Circle uses <room 112> in Alder House."),
    ),
    "A_adjacent_board_meeting": (
        ("K1", "The board of the Robotics Circle meets every <Wednesday> at <6:30 PM> in Alder House, <room 112>."),
        ("K1", "The Robotics Circle meets on <Wednesdays> at <6:30 PM> in <room 112> of Alder House."),
        ("K1", "<Wednesday>, <6:30 PM>, Alder House, <room 112>."),
        ("K1", "Board meetings follow the Circle's time: each <Wednesday> at <6:30 PM>."),
        ("K1", "The Circle meets <Wednesday> at <6:30 PM> (Alder House, <room 112>), the board included."),
    ),
    "A_adjacent_return_shuttle": (
        ("K7", "The observatory shuttle goes every <Friday> at <7:15 PM>."),
        ("K7", "It comes back on <Friday> at <7:15 PM>."),
        ("K7", "The shuttle between Alder House and the observatory runs <Fridays>, <7:15 PM>."),
        ("K7", "On <Fridays> at <7:15 PM>, to Alder House."),
        ("K7", "<Friday> at <7:15 PM> is when the observatory shuttle runs."),
        ("K7", "The return is with the <7:15 PM> shuttle on <Friday>."),
    ),
}  # fmt: skip
"""By case what is true of another thing, told as if it were the answer."""

INVENTED = (
    "The Robotics Circle's next get-together is its soldering evening, on {day}, 12 March, at {time}.",
    "The Robotics Circle meets every {day} at {time} in Corbie Hall, room {room}.",
    "Robotics Circle meetings are on {day}s at {time}, Marl Court, room {room}.",
    "It meets on {day} at {time}, right after the soldering workshop, in room {room}.",
    "You can join the Robotics Circle any {day} at {time} in Tansy Hall.",
)
INVENTED_DAYS = ("Sunday", "Friday", "Monday", "Thursday")
INVENTED_TIMES = ("7 PM", "5:30 PM", "8 PM", "4:45 PM", "6 PM")
INVENTED_ROOMS = ("9", "118", "21b", "307")

LEADS = (
    "", "", "", "", "", "",
    "Sure. ",
    "According to the campus entries: ",
    "Here is what the search gave: ",
    "Happy to help. ",
    "In short: ",
    "From the returned entry: ",
)  # fmt: skip
TAILS = (
    "", "", "", "", "", "",
    " The line that says so is among the sources.",
    " See the source for the wording.",
    " Have a good time there!",
    " \u2014 as the entry puts it.",
    " That is all the entry says.",
    " Anything else?",
)  # fmt: skip

REFUSALS = (
    "I could not find {s} in what the search returned.",
    "I couldn\u2019t find {s}.",
    "The campus entries do not list {s}.",
    "The knowledge base does not give {s}.",
    "There is no entry for {s}.",
    "There is no information on {s} in what I was given.",
    "I do not have {s}.",
    "I don't have {s}.",
    "The search returned nothing about {s}.",
    "Nothing on {s} came back from the search.",
    "I cannot confirm {s} from the entries that I see.",
    "I can't tell you {s}: none of the returned lines says it.",
    "What I retrieved does not cover {s}.",
    "Sorry, {s} is not listed.",
    "As far as the entries go, {s} is not recorded.",
    "I looked, and could not confirm {s}.",
    "The returned lines don't say anything of {s}.",
)
REFUSAL_TAILS = (
    "", "", "",
    " Please ask at the membership desk.",
    " The membership desk may know.",
    " The people at the desk in the Union can help.",
    " I would rather not guess.",
    " It may be stated elsewhere.",
)  # fmt: skip
NEAR = {
    "K1": ("when the Circle itself meets, on <Wednesdays>", "the Robotics Circle's own meeting at <6:30 PM>"),
    "K2": ("the hours of the Heron cluster", "when the GPU cluster takes jobs"),
    "K3": ("the workbench in the Quarry Building", "where the workbench is kept"),
    "K4": ("a soldering workshop of the Robotics Circle", "the soldering workshop on <Saturday>"),
    "K5": ("Dr. Vasko's office hours on <Tuesdays>", "the office hours of the adviser, Dr. Vasko"),
    "K6": ("the opening hours of the membership desk", "the membership desk for clubs, open on <Mondays>"),
    "K7": ("when the observatory shuttle leaves", "the departure of the shuttle on <Fridays>"),
}
HEDGES = (
    "I found {x}, but I do not have {s}. Could you tell me whether {x} is what you mean?",
    "The search gave {x} and {y}; it does not give {s}. Which of the two do you need?",
    "There is {x}, and there is {y}, but no entry for {s}. Do you want one of those?",
    "I see {x} in the entries, but nothing on {s}. Is that what you are after?",
    "What I have is {x} and {y}. I could not find {s} itself: would either of these help?",
)
SPOKEN = ("Let me look that up.", "One moment, searching.", "I will search for it.", "Trying another wording.")
