"""Times, weekdays and rooms: one form for each, and what only looks like one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.grades.specifics import specifics
from regrade.reading import read


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("The gate stays open until 9:15 p.m. on Friday.", ["9:15pm", "friday"]),
        ("Wednesbury and Thurso lie far from Satterly; Friedrich and Montague walked there from Sunderland.", []),
        ("The barrier lifts at 1 AM.", ["1am"]),
        ("5 PM, 5PM, 5:00 PM, 5:00pm, 5 p.m., 5 P.M and 05:00 PM", ["5pm"]),
        ("5\u202fPM", ["5pm"]),
        ("5&nbsp;PM", ["5pm"]),
        ("**5** PM in room **64**", ["5pm", "room 64"]),
        ("from 2-4 PM", ["2pm", "4pm"]),
        ("2\u20134 PM", ["2pm", "4pm"]),
        ("9 to 5 PM", ["9am", "5pm"]),
        ("10-12 PM", ["10am", "12pm"]),
        ("between 9 and 11 am", ["9am", "11am"]),
        ("9:30-11 AM", ["9:30am", "11am"]),
        ("10:45 to 11:15 p.m.", ["10:45pm", "11:15pm"]),
        ("11 AM - 1 PM", ["11am", "1pm"]),
        ("11:30 a.m. to 1:15 p.m.", ["11:30am", "1:15pm"]),
        ("at 17:00", ["5pm"]),
        ("at 17:30 on Fridays", ["5:30pm", "friday"]),
        ("09:15", ["9:15am"]),
        ("00:30", ["12:30am"]),
        ("12:00", ["12pm"]),
        ("14:00-16:00", ["2pm", "4pm"]),
        ("17h30", ["5:30pm"]),
        ("17.30 Uhr", ["5:30pm"]),
        ("1730 hrs", ["5:30pm"]),
        ("noon", ["12pm"]),
        ("12 noon", ["12pm"]),
        ("midnight", ["12am"]),
        ("in the afternoon", []),
        ("5 in the afternoon", ["5pm"]),
        ("five in the evening", ["5pm"]),
        ("10 in the morning", ["10am"]),
        ("five PM", ["5pm"]),
        ("half past five in the evening", ["5:30pm"]),
        ("9 at night", ["9pm"]),
        ("seven thirty PM", ["7:30pm"]),
        ("It takes 5 hours.", []),
        ("for 12 hours", []),
        ("The 16:10 monitor", []),
        ("a ratio of 16:10", []),
        ("Sun shines on Wednesday", ["wednesday"]),
        ("He sat down; they wed in May", []),
        ("Mon-Fri", ["monday", "friday"]),
        ("Mon\u2013Thu 9-5 PM", ["monday", "thursday", "9am", "5pm"]),
        ("Fri 5 PM", ["friday", "5pm"]),
        ("on Fri", ["friday"]),
        ("Fri, 11 Aug", ["friday"]),
        ("on Sun Microsystems", []),
        ("under the Sun.", []),
        ("Tues. at 9 AM", ["tuesday", "9am"]),
        ("MON 9 AM", ["monday", "9am"]),
        ("Mon, Wed and Fri", ["monday", "wednesday", "friday"]),
        ("Monday-Friday", ["monday", "friday"]),
        ("Monday\u2013Friday", ["monday", "friday"]),
        ("TUESDAYS", ["tuesday"]),
        ("monday.com", []),
        ("Friday Street", []),
        ("On Friday Hall B opens", ["friday"]),
        ("Dr. Friday", []),
        ("Monday's class", ["monday"]),
        ("Satya and Thurman met Wedgwood", []),
        ("Sunday", ["sunday"]),
        ("Sundaybest", []),
        ("weekdays", []),
        ("Room 64", ["room 64"]),
        ("room #64", ["room 64"]),
        ("Room No. 64", ["room 64"]),
        ("Rm. 64", ["room 64"]),
        ("rm 64", ["room 64"]),
        ("rooms 12 and 14", ["room 12", "room 14"]),
        ("rooms 12, 14 and 16B", ["room 12", "room 14", "room 16b"]),
        ("Room B12", ["room b12"]),
        ("Room 204B", ["room 204b"]),
        ("Room A", ["room a"]),
        ("room a little", []),
        ("room for 20", []),
        ("ballroom 5", []),
        ("mushroom 12", []),
        ("Classroom 12", ["room 12"]),
        ("Room: 64", ["room 64"]),
        ("room 12 or 14", ["room 12", "room 14"]),
        ("in the room 5 PM Thursday", ["5pm", "thursday"]),
        ("Room 3-12", ["room 3-12"]),
        ("Rooms 12-14", ["room 12", "room 14"]),
        ("Saturday at 8 PM in Juniper Hall, room 31.", ["saturday", "8pm", "room 31"]),
        ("room 118.", ["room 118"]),
        ("Room 2.14 is", ["room 2.14"]),
        ("K5 PM", []),
        ("2 PM is not 12 PM", ["2pm", "12pm"]),
        ("2026-08-11T17:00", ["5pm"]),
        ("5:00:00 PM", ["5pm"]),
        ("I am 5. I am here.", []),
        ("Tuesday evening at 7:30", ["tuesday", "7:30pm"]),
        ("at 5 o'clock in the afternoon", ["5pm"]),
        ("", []),
        ("at 8 and 5 PM", ["8am", "5pm"]),
        ("Chapter 2 and 5 PM", ["5pm"]),
        ("10:45 P. M.", ["10:45pm"]),
        ("10.45 pm", ["10:45pm"]),
        ("\uff15 PM", ["5pm"]),
        ("Lunch: 11:30 - 13:30", ["11:30am", "1:30pm"]),
        ("11:30\u20131:30 PM", ["11:30am", "1:30pm"]),
        ("7 p.m.\u2014the hall", ["7pm"]),
        ("from 7pm-9pm", ["7pm", "9pm"]),
        ("meets Thurs. 5pm", ["thursday", "5pm"]),
        ("Friday, Saturday, and Sunday", ["friday", "saturday", "sunday"]),
        ("every Sat", ["saturday"]),
        ("It sat. 5 PM", ["5pm"]),
    ],
)
def test_what_is_stated(text, stated):
    assert sorted(specifics(text)) == sorted(stated)


GROUNDED = "[retrieved]\n[K1] The pool opens on Thursday at 11 AM, room 204.\n[reply]\n"


@pytest.mark.parametrize(
    ("reply", "invented"),
    [
        ("It opens on Thursdays at 11:00 a.m. in Room 204.", []),
        ("It opens at 1 AM.", ["1am"]),
        ("It opens at 11 PM.", ["11pm"]),
        ("It opens on Tuesday in room 20.", ["tuesday", "room 20"]),
        ("It opens in room 2040.", ["room 2040"]),
        ("<think>Tuesday?</think>It opens on Thursday.", []),
        ("", []),
    ],
)
def test_what_is_invented(reply, invented):
    assert read("specifics", GROUNDED + reply) == invented


def test_only_what_was_retrieved_since_the_reply_before_counts():
    turns = "[retrieved]\nIt opens at 9 AM.\n[reply]\nAt 9 AM.\n[retrieved]\nIt shuts at 6 PM.\n[reply]\n9 AM to 6 PM."
    assert read("specifics", turns) == ["9am"]
    twice = "[retrieved]\nIt opens at 9 AM.\n[retrieved]\nIt shuts at 6 PM.\n[reply]\nFrom 9 AM to 6 PM."
    assert read("specifics", twice) == []
    assert read("specifics", "[reply]\nAt 9 AM.") == ["9am"]


MERIDIEMS = ["{}m", "{}.m.", " {}M", "\u202f{}.M."]


@given(st.integers(1, 12), st.integers(0, 59), st.sampled_from("ap"), st.sampled_from(MERIDIEMS))
def test_a_time_has_one_form_however_it_is_written(hour, minute, half, meridiem):
    written = f"{hour}:{minute:02}" + meridiem.format(half)
    value = f"{hour}:{minute:02}{half}m" if minute else f"{hour}{half}m"
    clock = f"{hour % 12 + (12 if half == 'p' else 0):02}:{minute:02}"
    assert specifics(f"At {written}, that is {clock}.") == [value]


@given(st.text(alphabet="0123456789:.-\u2013 apmAPMonFriroomRoomday/,()\n'", max_size=60), st.text(max_size=20))
def test_what_is_retrieved_is_never_invented(retrieved, more):
    reply = f"{retrieved}\n{more}"
    stated = read("specifics", f"[retrieved]\n{retrieved}\n[reply]\n{reply}")
    assert not set(stated) & set(specifics(retrieved))
