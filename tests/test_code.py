"""What grades rest on besides the inputs."""

from __future__ import annotations

import re
import tomllib

import regrade
from regrade.code import ENGINES, code, source, versions
from tests.conftest import ROOT

SHOWS = {"altair", "click", "jinja2", "markupsafe", "rich", "vl-convert-python"}
"""Dependencies that move no figure."""


def test_every_dependency_that_may_move_a_figure_is_an_engine() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = {re.split(r"[^\w-]", each)[0] for each in project["dependencies"]}
    assert {*ENGINES} == names - SHOWS
    assert {*versions()} == {"python", *ENGINES}
    assert project["version"] == regrade.__version__


def test_the_source_is_apart_from_the_machine() -> None:
    assert len({code(), source(), source((".css",))}) == 3
