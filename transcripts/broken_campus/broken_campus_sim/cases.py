"""The fifteen cases, in four categories; each category has a control with everything in place."""

from __future__ import annotations

from broken_campus_sim.world import Case

DELETION, WORDING, TOOL, TALK = "deletion", "wording", "tool_trouble", "follow_up"

_MEETING = (
    "Robotics Circle meeting time",
    "when does the Robotics Circle meet",
    "Robotics Circle meets room",
    "Fennmoor Robotics Circle meeting",
)
_WORKSHOP = (
    "soldering workshop Robotics Circle",
    "Robotics Circle workshop soldering room",
    "soldering workshop Saturday",
    "workshop soldering Quarry Building",
)
_HOURS = (
    "Dr. Vasko office hours",
    "office hours adviser Robotics Circle Vasko",
    "Imre Vasko office hours room",
    "Vasko adviser hours",
)
_DESK = (
    "membership desk open",
    "membership desk clubs hours",
    "club membership desk Union",
    "desk for clubs membership room",
)

CASES = (
    Case("A_control_meeting_time", DELETION, "When does the Robotics Circle meet?", True, "K1", _MEETING,
         "the meeting time of the Robotics Circle"),
    Case("A_absent_meeting_time", DELETION, "When does the Robotics Circle meet?", False, None, _MEETING,
         "the meeting time of the Robotics Circle", deleted=("K1",)),
    Case("A_absent_gpu_hours", DELETION, "At what hours does the Heron GPU cluster take student jobs?", False, None,
         ("GPU cluster student jobs hours", "Heron GPU cluster open hours", "office hours GPU cluster",
          "Heron cluster hours room"),
         "the hours of the GPU cluster", deleted=("K2",)),
    Case("A_absent_workbench_room", DELETION, "In which room is the Robotics Circle's workbench?", False, None,
         ("Robotics Circle workbench room", "workbench Robotics Circle building", "Robotics Circle room",
          "where is the Robotics Circle workbench"),
         "the room of the workbench", deleted=("K3",)),
    Case("A_adjacent_board_meeting", DELETION, "When does the board of the Robotics Circle meet?", False, None,
         ("Robotics Circle board meeting", "board meets Robotics Circle", "Robotics Circle board meeting time",
          "Fennmoor Robotics Circle board meets"),
         "the board's meeting time"),
    Case("A_adjacent_return_shuttle", DELETION, "When does the shuttle come back from the observatory?", False, None,
         ("observatory shuttle return", "shuttle back from observatory", "observatory shuttle timetable",
          "shuttle observatory Alder House return"),
         "the return time of the shuttle"),
    Case("B_control_workshop", WORDING, "When and where is the soldering workshop?", True, "K4", _WORKSHOP,
         "the soldering workshop"),
    Case("B_plain_words", WORDING, "I want to learn to join wires with hot metal. When can the Circle show me?", True,
         "K4", (*_WORKSHOP, "learn soldering with the Robotics Circle"), "the soldering workshop"),
    Case("B_long_way_round", WORDING,
         "My flatmate keeps talking of a thing in the Quarry Building at the weekend, something with solder, and says "
         "that I should come along; could you work out for me when it starts?",
         True, "K4", (*_WORKSHOP, "Quarry Building Saturday soldering"), "the soldering workshop"),
    Case("C_control_office_hours", TOOL, "When are Dr. Vasko's office hours?", True, "K5", _HOURS,
         "Dr. Vasko's office hours"),
    Case("C_error_then_hours", TOOL, "When are Dr. Vasko's office hours?", True, "K5", _HOURS,
         "Dr. Vasko's office hours", first_result="error"),
    Case("C_nothing_then_hours", TOOL, "When can I see the adviser of the Robotics Circle?", True, "K5", _HOURS,
         "the adviser's office hours", first_result="nothing"),
    Case("D_control_membership_desk", TALK, "When is the membership desk open?", True, "K6", _DESK,
         "the opening hours of the membership desk"),
    Case("D_desk_after_shuttle", TALK, "Good. And when is the membership desk open?", True, "K6", _DESK,
         "the opening hours of the membership desk",
         before=("When does the observatory shuttle leave?", "observatory shuttle leaves", "K7")),
    Case("D_desk_after_meeting", TALK, "Thanks. When is the membership desk for clubs open, then?", True, "K6", _DESK,
         "the opening hours of the membership desk",
         before=("When does the Robotics Circle meet?", "Robotics Circle meeting time", "K1")),
)  # fmt: skip
BY_NAME = {case.item: case for case in CASES}
ABSENT = tuple(case.item for case in CASES if not case.answerable)
ANSWERABLE = tuple(case.item for case in CASES if case.answerable)
SEEDS = range(5)

SYSTEM = (
    "You answer questions about Fennmoor College with the tool search_campus. Use nothing but what it returns. End with"
    " one JSON object and nothing else: answer (text), status (answered, not_found or needs_clarification), sources"
    " (the lines that the answer rests on, as returned). Where nothing returned answers the question, the answer is"
    ' "I could not find that. Please ask at the membership desk."'
)
MANDATED = "I could not find that. Please ask at the membership desk."
