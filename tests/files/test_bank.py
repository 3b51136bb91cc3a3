from pathlib import Path

import pytest

from regrade.errors import CorpusError
from regrade.files.bank import ConfigurationEntry, Item, read_bank, read_bank_file, read_configurations
from regrade.files.corpus_toml import read_corpus

BANK = '\n[bank]\nfile = "bank.json"\n'
NOTES = '\n[bank]\nnotes = "notes.toml"\n'
CONFIGURATIONS = '\n[configurations]\nfile = "c.json"\n'


def test_items_in_their_order(make, minimal):
    entry = '{"item": "b", "family": "f", "prompt": "é?", "gold": {"kind": "number", "answer": 7.0}, "menu": [1]}'
    bank = f'[{entry}, {{"item": 3}}]'
    assert read_bank(read_corpus(make(minimal + BANK, {"bank.json": bank}))) == [
        Item("b", "f", "é?", {"kind": "number", "answer": 7.0}, {"menu": [1]}),
        Item("3"),
    ]


def test_items_in_one_world(make, minimal):
    bank = read_bank_file(
        read_corpus(make(minimal + BANK, {"bank.json": '{"world": {"a": [1]}, "items": [{"item": "x"}]}'}))
    )
    assert bank is not None and (bank.items, bank.world) == ([Item("x")], {"a": [1]})


def test_without_files(make, minimal):
    corpus = read_corpus(make(minimal, {}))
    assert read_bank(corpus) is None is read_bank_file(corpus)
    assert read_configurations(corpus) == []


@pytest.mark.parametrize(
    ("bank", "found"),
    [
        ('{"item": "a"}', "expected a list of objects, or one object of items and world, found"),
        ('{"items": [], "word": 1}', "unknown key 'word'. Did you mean 'world'"),
        ('{"items": {"item": "a"}}', "expected a list of objects, found"),
        ('["a"]', "entry 1: expected an object, found 'a'"),
        ('[{"item": "a"}, {"family": "f"}]', "entry 2: .* as item, found None"),
        ('[{"item": ""}]', "entry 1"),
        ('[{"item": true}]', "found True"),
        ('[{"item": 1}, {"item": "1"}]', "entry 2: the item '1' is that of entry 1"),
        ('[{"item": "a", "prompt": ["x"]}]', "entry 1: prompt: expected a text"),
        ('[{"item": "a",\n "gold": 1 2}]', "line 2, column 12: not JSON"),
        ('[{"item": "a", "gold": NaN}]', "NaN is no JSON"),
        ('[{"item": "a", "gold": 1, "gold": 2}]', "key 'gold' stands twice"),
        (b'[{"item": "\xff"}]', "not UTF-8 at byte 11"),
        (None, "bank.json: cannot be read"),
    ],
)
def test_a_bank_that_cannot_be_used(make, minimal, bank, found):
    corpus = read_corpus(make(minimal + BANK, {} if bank is None else {"bank.json": bank}))
    with pytest.raises(CorpusError, match=found) as caught:
        read_bank(corpus)
    assert "bank.json" in str(caught.value) and "\n" not in str(caught.value)


def test_configurations(make, minimal):
    entry = '{"configuration": "a", "weights": "w", "quant": 4, "reasoning": true, "arm": null, "price": [1]}'
    text = f'[{entry}, {{"configuration": 7}}]'
    assert read_configurations(read_corpus(make(minimal + CONFIGURATIONS, {"c.json": text}))) == [
        ConfigurationEntry("a", weights="w", quant="4", reasoning="true", extra={"price": [1]}),
        ConfigurationEntry("7"),
    ]
    with pytest.raises(CorpusError, match="c.json: entry 2: the configuration 'a' is that of entry 1"):
        read_configurations(
            read_corpus(make(minimal + CONFIGURATIONS, {"c.json": '[{"configuration": "a"}, {"configuration": "a"}]'}))
        )


def note(item='"a"', kind="retire", rest=""):
    return f'[[note]]\nitem = {item}\nkind = "{kind}"\ntext = "t"\n{rest}'


@pytest.mark.parametrize("kind", ["retire", "canary", "ambiguous", "convention", "conflicting_cue"])
def test_notes_are_checked_against_the_bank(make, minimal, kind):
    toml = minimal + BANK + 'notes = "notes.toml"\n'
    bank = '[{"item": "a"}, {"item": 3}]'
    corpus = read_corpus(make(toml, {"bank.json": bank, "notes.toml": note(kind=kind) + note("3")}))
    assert [(n.item, n.kind) for n in corpus.notes] == [("a", kind), ("3", "retire")]
    with pytest.raises(CorpusError, match=r"notes.toml: \[\[note\]\] 1: unknown item 'b'"):
        read_corpus(make(toml, {"bank.json": bank, "notes.toml": note('"b"')}))


def test_notes_without_a_bank_file(make, minimal):
    corpus = read_corpus(make(minimal + NOTES, {"notes.toml": note('"anything"')}))
    assert corpus.notes[0].item == "anything"


@pytest.mark.parametrize(
    ("notes", "found"),
    [
        (note(kind="retired"), "Did you mean 'retire'"),
        (note(rest="by = 1"), "unknown key 'by'"),
        ("[[notes]]\n", "Did you mean 'note'"),
        ("[note]\n", r"\[\[note\]\]"),
        ("[[note\n", "not TOML"),
        (note("true"), "wrong value of item"),
    ],
)
def test_notes_that_cannot_be_used(make, minimal, notes, found):
    root: Path = make(minimal + NOTES, {"notes.toml": notes})
    with pytest.raises(CorpusError, match=found):
        read_corpus(root)
