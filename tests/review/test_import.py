"""Verdicts brought home: every form, bound to the draw, and what is refused."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands import run
from tests.conftest import draft_rules, twenty, write_corpus
from tests.review import samples
from tests.review.samples import FORMS, all_of, home, key, labels, packet, row, trials, write


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return samples.drawn_corpus(tmp_path_factory.mktemp("drawn") / "corpus")


@pytest.fixture
def corpus(drawn: Path, tmp_path: Path) -> Path:
    return samples.copied(drawn, tmp_path / "corpus")


def stored(corpus: Path, reviewer: str) -> list[dict[str, str]]:
    text = (home(corpus) / f"{reviewer}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def refused(corpus: Path, *args: object) -> str:
    """The one line of an import that is refused; nothing is written."""
    found = run("review", "import", corpus, *args, code=2)
    assert found.stdout == "" and found.stderr.count("\n") == 1
    assert not [*home(corpus).glob("*.jsonl")]
    return found.stderr


@pytest.mark.parametrize("form", FORMS)
def test_each_form_gives_the_same_verdicts(corpus: Path, form: str) -> None:
    said = all_of(corpus, t1="failed", t4="unclear")
    run("review", "import", corpus, write(corpus, "r1", form, said, '- é, "so"\nit is'))
    assert stored(corpus, "r1") == [
        {"sample": key(corpus)["sample"], "trial": trial, "reviewer": "r1", "label": label,
         "comment": "- é, \"so\"\nit is"}
        for trial, label in sorted(said.items())
    ]  # fmt: skip


def test_forms_may_be_mixed_and_counts_are_told(corpus: Path) -> None:
    one = write(corpus, "r1", "page", all_of(corpus))
    other = write(corpus, "r2", "csv", dict(list(all_of(corpus).items())[:4]))
    found = json.loads(run("review", "import", corpus, one, other, "--json").stdout)
    assert [(e["reviewer"], e["labelled"], e["unlabelled"]) for e in found["imported"]] == [("r1", 6, 0), ("r2", 4, 2)]
    assert all(e["sample"] == "flips" and e["declared"] for e in found["imported"])
    assert (len(stored(corpus, "r1")), len(stored(corpus, "r2"))) == (6, 4)


def test_a_partial_file_is_fine_and_told_in_words(corpus: Path) -> None:
    found = run("review", "import", corpus, write(corpus, "r1", "page", {trials(corpus)[0]: "failed"}))
    assert "1 verdict of r1; 5 not labelled yet" in found.stdout


def test_a_spreadsheet_may_save_with_semicolons_a_mark_crlf_and_rows_of_separators(corpus: Path) -> None:
    [(id_, label), *_] = labels(corpus, "r1", all_of(corpus, label="failed")).items()
    lines = ["sample;reviewer;id;label;comment", f"{key(corpus)['sample']};r1;{id_};{label};fine", ";;;;", ""]
    (file := home(corpus) / "saved.csv").write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode())
    run("review", "import", corpus, file)
    assert [(v["label"], v["comment"]) for v in stored(corpus, "r1")] == [("failed", "fine")]


def test_a_file_elsewhere_finds_the_key_under_the_corpus_or_is_told_it(corpus: Path, tmp_path: Path) -> None:
    (moved := tmp_path / "mail").mkdir()
    file = write(corpus, "r1", "page", all_of(corpus)).rename(moved / "verdicts.json")
    other = write(corpus, "r2", "page", all_of(corpus)).rename(moved / "other.json")
    run("review", "import", corpus, file)
    sealed = (home(corpus) / "sealed" / "key.json").rename(moved / "k.json")
    assert "no sealed key" in run("review", "import", corpus, other, code=2).stderr
    run("review", "import", corpus, other, "--key", sealed)
    assert len(stored(corpus, "r2")) == 6


def test_the_reviewer_may_be_named_where_the_file_does_not_say(corpus: Path) -> None:
    file = write(corpus, "r1", "jsonl", all_of(corpus))
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    bare = [{name: value for name, value in each.items() if name != "reviewer"} for each in lines]
    file.write_text("".join(json.dumps(each) + "\n" for each in bare))
    assert "--reviewer NAME" in refused(corpus, file)
    assert "'r9'. Known: r1, r2." in refused(corpus, file, "--reviewer", "r9")
    run("review", "import", corpus, file, "--reviewer", "r1")
    other = write(corpus, "r2", "page", all_of(corpus))
    assert (
        "of the packet of r2, and --reviewer says r1"
        in run("review", "import", corpus, other, "--reviewer", "r1", code=2).stderr
    )


@pytest.mark.parametrize("form", FORMS)
def test_another_draw_is_refused(corpus: Path, form: str) -> None:
    file = write(corpus, "r1", form, all_of(corpus))
    file.write_text(file.read_text().replace(key(corpus)["sample"], "0" * 64))
    assert "it is of another draw: its sample is '000000000000'" in refused(corpus, file)


def test_one_row_of_another_draw_is_refused(corpus: Path) -> None:
    file = write(corpus, "r1", "jsonl", all_of(corpus))
    lines = file.read_text().splitlines()
    lines[3] = lines[3].replace(key(corpus)["sample"], "0" * 64)
    file.write_text("\n".join(lines))
    assert "line 4: it is of another draw" in refused(corpus, file)


def test_another_corpus_is_refused(corpus: Path, tmp_path: Path) -> None:
    toml = (corpus / "corpus.toml").read_text()
    other = write_corpus(tmp_path / "other", twenty()[:-1], toml)
    found = run("review", "import", other, write(corpus, "r1", "page", all_of(corpus)), code=2).stderr
    assert "it is of another corpus" in found and not (other / "reviews").exists()


def test_no_glob_of_the_corpus_takes_verdicts_for_transcripts(corpus: Path) -> None:
    toml = corpus / "corpus.toml"
    toml.write_text(toml.read_text().replace('files = ["trials.jsonl"]', 'files = ["**/[rt][1r]*.jsonl"]'))
    assert "would take it for a transcript" in refused(corpus, write(corpus, "r1", "page", all_of(corpus)))


def test_a_draw_that_is_declared_otherwise_by_now_is_refused(corpus: Path) -> None:
    toml = corpus / "corpus.toml"
    toml.write_text(toml.read_text().replace("seed = 1", "seed = 2"))
    told = refused(corpus, write(corpus, "r1", "page", all_of(corpus)))
    assert "another draw than [[sample]] flips in corpus.toml: seed was 1, and is 2" in told


def test_another_question_is_another_draw(corpus: Path) -> None:
    toml = corpus / "corpus.toml"
    toml.write_text(toml.read_text().replace("seed = 1", 'seed = 1\nquestion = "Is it so?"'))
    told = refused(corpus, write(corpus, "r1", "page", all_of(corpus)))
    assert "question was " in told and "and is 'Is it so?'" in told


def test_a_rule_that_was_edited_since_makes_another_draw(corpus: Path, tmp_path: Path) -> None:
    """Though the same trials flip, so that nothing but the fingerprint tells."""
    rules = draft_rules(tmp_path / "rules")
    file = write(corpus, "r1", "page", all_of(corpus))
    rule = rules / "tool_loop" / "last_equals_v1.py"
    said = rule.read_text()
    assert "base(trial))" in said
    rule.write_text(said.replace("base(trial))", "base(trial), None)"))
    told = refused(corpus, file, "--rules", rules)
    assert "the rules of 'v2' on 'pass' had the fingerprint" in told and "restore the rules" in told
    rule.write_text(said)
    done = run("review", "import", corpus, file, "--rules", rules).stdout
    assert "the same trials would still be drawn" in done


def test_a_candidate_that_is_no_more_is_told(corpus: Path) -> None:
    toml = corpus / "corpus.toml"
    toml.write_text(toml.read_text().replace(samples.CANDIDATE, "").replace(samples.SAMPLE, ""))
    assert "and have None" in refused(corpus, write(corpus, "r1", "page", all_of(corpus)))


Change = Callable[[Path, list[dict[str, str]]], object]
"""Changes the rows of a file."""


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda c, rows: rows[2].update(id="f" * 16), "line 3: unknown id 'ffffffffffffffff'"),
        (lambda c, rows: rows[2].update(id=packet(c, "r2")[0]["id"]), "line 3: the id", ),
        (lambda c, rows: rows.append(rows[1]), "line 7: the id"),
        (lambda c, rows: rows[5].update(label=""), "line 6: no label. Expected one of passed, failed, unclear."),
        (lambda c, rows: rows[5].update(label=" "), "line 6: no label."),
        (lambda c, rows: rows[5].pop("label"), "line 6: no label."),
        (lambda c, rows: rows[0].update(label="pased"), "line 1: unknown label 'pased'. Did you mean 'passed'?"),
        (lambda c, rows: rows[0].update(label="Pased"), "line 1: unknown label 'Pased'. Did you mean 'passed'?"),
        (lambda c, rows: rows[0].update(label=1), "line 1: label is 1, expected a text"),
        (lambda c, rows: rows[0].pop("id"), "line 1: no id"),
        (lambda c, rows: rows[0].update(sample=None), "line 1: no sample"),
        (lambda c, rows: rows[1].update(reviewer="r3"), "no packet was made for a reviewer 'r3'. Known: r1, r2."),
    ],
)  # fmt: skip
def test_a_row_that_cannot_be_used_is_named(corpus: Path, change: Change, told: str) -> None:
    rows = [row(corpus, "r1", id_, label) for id_, label in labels(corpus, "r1", all_of(corpus)).items()]
    change(corpus, rows)
    (file := home(corpus) / "rows.json").write_text("".join(json.dumps(each) + "\n" for each in rows))
    assert told in refused(corpus, file)


def test_an_id_of_another_packet_and_one_that_is_there_twice_say_so(corpus: Path) -> None:
    mine, theirs = packet(corpus, "r1")[0]["id"], packet(corpus, "r2")[0]["id"]
    file = home(corpus) / "rows.json"
    file.write_text(json.dumps(row(corpus, "r1", theirs, "passed")))
    assert f"the id {theirs} is of the packet of r2, not of r1" in refused(corpus, file)
    file.write_text("".join(json.dumps(row(corpus, "r1", mine, label)) + "\n" for label in ("passed", "failed")))
    assert "is there twice, first in" in refused(corpus, file)


def test_rows_without_a_label_may_be_left_with_partial(corpus: Path) -> None:
    file = write(corpus, "r1", "csv", all_of(corpus, t0="", t5=""))
    assert "no label" in refused(corpus, file)
    found = json.loads(run("review", "import", corpus, file, "--partial", "--json").stdout)
    assert [(e["labelled"], e["unlabelled"]) for e in found["imported"]] == [(4, 2)]
    nothing = write(corpus, "r2", "csv", all_of(corpus, label=""))
    assert "no trial is labelled" in run("review", "import", corpus, nothing, "--partial", code=2).stderr


def test_a_spreadsheet_may_capitalise_labels(corpus: Path) -> None:
    file = write(corpus, "r1", "csv", all_of(corpus, label="Passed", t0=" FAILED ", t1="Unclear"))
    run("review", "import", corpus, file)
    assert {v["trial"]: v["label"] for v in stored(corpus, "r1")} == all_of(corpus, t0="failed", t1="unclear")


def test_a_comment_on_a_row_without_a_label_is_counted(corpus: Path) -> None:
    [(first, _), (second, label), *_] = labels(corpus, "r1", all_of(corpus)).items()
    rows = [row(corpus, "r1", first, "", "not sure"), row(corpus, "r1", second, label, "fine")]
    (file := home(corpus) / "rows.jsonl").write_text("".join(json.dumps(each) + "\n" for each in rows))
    told = run("review", "import", corpus, file, "--partial").stdout
    assert "1 verdict of r1; 5 not labelled yet, on which 1 comment is left out." in told


def test_a_second_file_of_a_reviewer_is_refused_and_the_first_stays(corpus: Path) -> None:
    first = write(corpus, "r1", "page", all_of(corpus))
    second = write(corpus, "r1", "csv", all_of(corpus, label="failed"))
    assert "a second file of r1" in refused(corpus, first, second)
    run("review", "import", corpus, first)
    before = (home(corpus) / "r1.jsonl").read_bytes()
    third = write(corpus, "r2", "page", all_of(corpus))
    found = run("review", "import", corpus, third, second, code=2).stderr
    assert "r1 has given a file before" in found
    assert (home(corpus) / "r1.jsonl").read_bytes() == before
    assert not (home(corpus) / "r2.jsonl").exists(), "all of the files or none"


def test_two_annotations_of_a_task_are_refused_and_a_skipped_one_is_none(corpus: Path) -> None:
    file = write(corpus, "r1", "label_studio", all_of(corpus))
    tasks = json.loads(file.read_text())
    tasks[0]["annotations"] *= 2
    file.write_text(json.dumps(tasks))
    assert f"2 annotations on task {tasks[0]['id']}. Keep one" in refused(corpus, file)
    tasks[0]["annotations"][1] = {**tasks[0]["annotations"][1], "was_cancelled": True}
    tasks[1]["annotations"] = []
    file.write_text(json.dumps(tasks))
    assert "task 2: no label." in refused(corpus, file)
    run("review", "import", corpus, file, "--partial")
    assert len(stored(corpus, "r1")) == 5


def test_two_choices_of_one_annotation_are_refused(corpus: Path) -> None:
    file = write(corpus, "r1", "label_studio", all_of(corpus))
    tasks = json.loads(file.read_text())
    tasks[2]["annotations"][0]["result"][0]["value"]["choices"].append("failed")
    file.write_text(json.dumps(tasks))
    assert "task 3: it has 2 labels, passed, failed" in refused(corpus, file)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "it is empty"),
        (" \n", "it is empty"),
        ("[]", "it has no verdict"),
        ('{"schema": "regrade.verdicts/9", "verdicts": []}', "expected 'regrade.verdicts/1'"),
        ('{"schema": "regrade.verdicts/1", "verdicts": 3}', "verdicts is 3, expected a list"),
        ('{"schema": "regrade.verdicts/1", "verdicts": [7]}', "verdict 1: found 7, expected an object"),
        ('{"schema": "regrade.verdicts/1", "verdicts": []}', "it has no verdict"),
        ('{"schema": "regrade.verdicts/1", "verdicts": [', "not JSON"),
        ('{"sample": "a", "id": "b"', "line 1: line 1, column 26: not JSON"),
        ("[3]", "task 1: found 3, expected an object"),
        ('[{"data": 3}]', "task 1: data: found 3"),
        ("a,b\n1,2\n", "no column 'sample'"),
        ("sample,id,lable\n1,2,3\n", "no column 'label'. Did you mean 'lable'?"),
        ('sample,id,label\n"1,2,3', "it is no CSV"),
    ],
)
def test_what_is_no_verdict_file_is_told(corpus: Path, text: str, told: str) -> None:
    (file := home(corpus) / "odd").write_text(text, encoding="utf-8")
    assert told in refused(corpus, file)


def test_a_file_that_is_not_there_or_not_utf8_is_told(corpus: Path) -> None:
    assert "cannot be read" in refused(corpus, home(corpus) / "none.json")
    (file := home(corpus) / "bytes.csv").write_bytes(b"sample,id,label\n\xff,,\n")
    assert "not UTF-8 at byte 16. Save it once more: as CSV UTF-8" in refused(corpus, file)


def test_what_a_newcomer_gives_back_in_its_place_is_called_by_its_name(corpus: Path) -> None:
    with zipfile.ZipFile(sheet := home(corpus) / "packet.ods", "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet\xff")
    page = home(corpus) / "packets" / "r1" / "review.html"
    assert "Save the file" in page.read_text(encoding="utf-8")
    for file, told in ((sheet, "a spreadsheet's own file. Save it as CSV (UTF-8)"), (page, "its button Save the file")):
        assert told in refused(corpus, file)
        assert told in run("review", "rule", corpus, file, code=2).stderr


def test_a_key_that_is_none_is_told(corpus: Path) -> None:
    file = write(corpus, "r1", "page", all_of(corpus))
    sealed = home(corpus) / "sealed" / "key.json"
    for text, told in (("[]", "schema is"), ('{"schema": "regrade.key/1"}', "it is no key")):
        sealed.write_text(text)
        assert told in refused(corpus, file)


@pytest.mark.parametrize("text", ["[]", "{", '{"schema": "regrade.key/1", "sample": 3}'])
def test_a_foreign_key_above_the_file_is_passed_over_and_listed(corpus: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "mail" / "sealed").mkdir(parents=True)
    (other := tmp_path / "mail" / "sealed" / "key.json").write_text(text)
    file = write(corpus, "r1", "page", all_of(corpus)).rename(tmp_path / "mail" / "verdicts.json")
    sealed = (home(corpus) / "sealed").rename(tmp_path / "away")
    assert f"{other}, which is no key (" in refused(corpus, file)
    sealed.rename(home(corpus) / "sealed")
    run("review", "import", corpus, file)
    assert len(stored(corpus, "r1")) == 6


def test_a_sample_that_is_not_declared_is_told(corpus: Path) -> None:
    toml = (corpus / "corpus.toml").read_text()
    (corpus / "corpus.toml").write_text(toml.replace(samples.SAMPLE, ""))
    found = run("review", "import", corpus, write(corpus, "r1", "page", all_of(corpus))).stdout
    assert "corpus.toml has no such sample" in found
    (corpus / "corpus.toml").write_text(toml.replace(samples.SAMPLE, "[[sample]]\n" + found.split("[[sample]]\n")[1]))
    found = json.loads(run("review", "import", corpus, write(corpus, "r2", "page", all_of(corpus)), "--json").stdout)
    assert found["imported"][0]["declared"]
