"""Imports go one way: files, tables, grades, flips, then review, report and publish, and what joins them."""

import ast
from pathlib import Path

import pytest

import regrade

PACKAGE = Path(regrade.__file__).parent
FLOW = ("files", "tables", "grades", "flips")
ENDS = ("review", "report", "publish")
"""They stand side by side, and know nothing of one another."""
COMMON = {"code", "errors", "pages", "records", "signs"}
MODULES = sorted(PACKAGE.rglob("*.py"))


def imported(path: Path) -> set[str]:
    """The parts of the package that a module imports, lazily too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            names = [f"{node.module}.{a.name}" if node.module == "regrade" else str(node.module) for a in node.names]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("regrade.")}
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_imports_go_down_the_flow_only(path: Path) -> None:
    parts = path.relative_to(PACKAGE).parts
    if len(parts) == 1:
        return
    layer = parts[0]
    below = {*(FLOW if layer in ENDS else FLOW[: FLOW.index(layer)]), layer, *COMMON}
    assert imported(path) <= below | {"__version__"}


def test_only_the_command_line_imports_the_command_line() -> None:
    assert [p.name for p in MODULES if "cli" in imported(p)] == []


def test_the_core_types_lean_on_nothing() -> None:
    assert imported(PACKAGE / "records.py") == set()
    assert imported(PACKAGE / "errors.py") == set()
    assert imported(PACKAGE / "code.py") == set()
    assert imported(PACKAGE / "signs.py") == set()
    assert imported(PACKAGE / "pages.py") == {"code"}


def test_a_layer_that_is_not_listed_is_noticed() -> None:
    folders = {p.name for p in PACKAGE.iterdir() if p.is_dir() and any(p.glob("*.py"))}
    assert folders == {*FLOW, *ENDS}
