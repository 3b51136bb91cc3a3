"""packet.csv in LibreOffice Calc: it runs no cell, and what was filled in there comes home."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

import pytest

from regrade.review.forms import read_packet_csv
from tests.commands import run
from tests.conftest import write_corpus
from tests.review.samples import home, key, packet

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

FORMULAS = ("=1+1", "+SUM(1,2)", "-2+3", "@SUM(1,2)", '=HYPERLINK("http://127.0.0.1/","x")', "=cmd|' /C calc'!A0",
            '=DDE("soffice","a.ods","A1")', '=WEBSERVICE("http://127.0.0.1/")')  # fmt: skip
BEFORE = ("", "\t", "\r", "\n", "\r\n", " ", "'", "''", '"', '","', ";", "\u00a0", "\ufeff", "\u200b", "\uff1d")
TOML = """
[corpus]
name = "formulas"
format = "jsonl"
files = ["trials.jsonl"]
[columns]
configuration = "config"
item = "item"
reply = "reply"
[frozen.pass]
passed = "ok"
[bank.columns]
prompt = "prompt"
gold = "gold"
[[candidate]]
name = "empty_reply"
rules = ["empty_reply_v1"]
[[sample]]
name = "flips"
candidate = "empty_reply"
stratum = "both_failed"
size = 1000
seed = 1
"""
FORMULA = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}formula"
COMMAS_UTF8 = "44,34,76,1"
AS_CSV = f"csv:Text - txt - csv (StarCalc):{COMMAS_UTF8},,0,false,true,false"


def soffice(profile: Path, file: Path, to: str, out: Path, read_as: str = COMMAS_UTF8) -> Path:
    """The file as Calc writes it again, in a folder of its own."""
    binary = shutil.which("soffice")
    if binary is None:
        pytest.skip("LibreOffice (soffice) is absent")
    command = [binary, f"-env:UserInstallation={profile.as_uri()}", "--headless", "--convert-to", to]
    how = [f"--infilter=CSV:{read_as}"] if file.suffix == ".csv" else []
    subprocess.run([*command, *how, "--outdir", out, file], check=True, capture_output=True, timeout=120)
    [made] = out.iterdir()
    return made


def drawn(folder: Path, texts: list[str]) -> Path:
    """A corpus whose prompts, golds and replies say the texts, and its packets; return the folder."""
    said = [
        {"config": "m", "item": f"q{at}", "reply": text, "prompt": text, "gold": text, "ok": False}
        for at, text in enumerate(texts)
    ]
    corpus = write_corpus(folder, said, TOML, bank=None)
    run("sample", corpus, "--name", "flips", "--reviewers", 1)
    return corpus


def formulas(sheet: Path) -> list[str]:
    """Every formula that the sheet holds."""
    return [cell.attrib[FORMULA] for cell in ElementTree.parse(sheet).iter() if FORMULA in cell.attrib]


def fill(sheet: Path, labels: Mapping[str, str]) -> None:
    """Write the labels by id into a flat sheet, in which a row's empty label and comment are one element."""
    text = sheet.read_text(encoding="utf-8")
    for id_, label in labels.items():
        named = rf"(<text:p>{id_}</text:p>\s*</table:table-cell>\s*)"
        empty = named + '<table:table-cell table:number-columns-repeated="2"/>'
        cells = f'\\1<table:table-cell office:value-type="string"><text:p>{label}</text:p></table:table-cell>'
        text, found = re.subn(empty, f"{cells}<table:table-cell/>", text)
        assert found == 1, id_
    sheet.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Formulas, each behind all that may stand before it."""
    return drawn(tmp_path_factory.mktemp("drawn") / "corpus", [before + each for before in BEFORE for each in FORMULAS])


def test_a_filled_sheet_runs_nothing_and_comes_home(corpus: Path, tmp_path: Path) -> None:
    profile, given = tmp_path / "profile", home(corpus) / "packets" / "r1" / "packet.csv"
    sheet = soffice(profile, given, "fods", tmp_path / "sheet")
    assert formulas(sheet) == []
    said = {record["id"]: ("passed", "failed", "unclear")[at % 3] for at, record in enumerate(packet(corpus, "r1"))}
    fill(sheet, said)
    saved = soffice(profile, sheet, AS_CSV, tmp_path / "saved")
    assert formulas(soffice(profile, saved, "fods", tmp_path / "again")) == [], "nor when opened again"

    run("review", "import", corpus, saved)
    stored = [json.loads(line) for line in (home(corpus) / "r1.jsonl").read_text("utf-8").splitlines()]
    trial_of = key(corpus)["reviewers"]["r1"]
    assert {row["trial"]: row["label"] for row in stored} == {trial_of[id_]: label for id_, label in said.items()}


def test_a_sheet_that_is_saved_again_says_the_same(corpus: Path, tmp_path: Path) -> None:
    given = home(corpus) / "packets" / "r1" / "packet.csv"
    saved = soffice(tmp_path / "profile", given, AS_CSV, tmp_path / "saved")
    rows = read_packet_csv(saved.read_bytes().decode(), saved.name)
    for row, record in zip(rows, packet(corpus, "r1"), strict=True):
        assert row["id"] == record["id"]
        assert lines(row["instruction"]) == lines(row["gold"]) == lines(record["instruction"])
        assert lines(row["transcript"]) == ["[assistant]", *lines(record["instruction"])]


def lines(text: str) -> list[str]:
    """Those that are not empty: a sheet has one kind of line break, and takes LF CR for one of it."""
    return [line for line in text.splitlines() if line]


def test_texts_that_look_like_values_stay_texts(tmp_path: Path) -> None:
    texts = ["007", "1e5", "12/11", "5%", "TRUE", "1:30", "1,200", "-6.50"]
    corpus = drawn(tmp_path / "corpus", texts)
    given = home(corpus) / "packets" / "r1" / "packet.csv"
    saved = soffice(tmp_path / "profile", given, AS_CSV, tmp_path / "saved", f"{COMMAS_UTF8},,0,false,true")
    rows = read_packet_csv(saved.read_bytes().decode(), saved.name)
    assert sorted(row["gold"] for row in rows) == sorted(row["instruction"] for row in rows) == sorted(texts)


@pytest.mark.parametrize("separators", ["59", "9", "59/9"], ids=["semicolon", "tab", "both"])
def test_nothing_runs_where_another_separator_takes_the_quotes_for_text(
    corpus: Path, tmp_path: Path, separators: str
) -> None:
    given = home(corpus) / "packets" / "r1" / "packet.csv"
    assert formulas(soffice(tmp_path / "profile", given, "fods", tmp_path / "sheet", f"{separators},34,76,1")) == []


def test_calc_does_run_what_is_not_guarded(tmp_path: Path) -> None:
    bare = tmp_path / "bare.csv"
    with bare.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([[formula] for formula in FORMULAS])
    # `@SUM` runs in other spreadsheets alone, and Calc has no `cmd|`.
    assert len(formulas(soffice(tmp_path / "profile", bare, "fods", tmp_path / "sheet"))) >= 5


def test_a_control_character_before_a_formula_does_not_bring_it_to_life(tmp_path: Path) -> None:
    corpus = drawn(tmp_path / "corpus", ["\0=1+1", "\0\0+SUM(1,2)", "\x01=1+1", " \0=1+1", "\x0b\x1f=1+1"])
    profile, given = tmp_path / "profile", home(corpus) / "packets" / "r1" / "packet.csv"
    assert formulas(soffice(profile, given, "fods", tmp_path / "sheet")) == []
    # Calc's own form cannot hold these characters.
    kept = soffice(profile, given, "ods", tmp_path / "kept")
    saved = soffice(profile, kept, AS_CSV, tmp_path / "saved")
    assert formulas(soffice(profile, saved, "fods", tmp_path / "again")) == []
