"""Fixtures that more than one folder of tests uses."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real logs, public cases and design documents, where it is laid beside the checkout."""
    path = ROOT.parent / "shared"
    if not path.is_dir():
        pytest.skip("the folder ../shared with real logs and public cases is absent")
    return path
