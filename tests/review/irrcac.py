"""What irrCAC says of many drawn tables; `python -m tests.review.irrcac` records it anew.

irrCAC asks for a SciPy of the past, beside which the package cannot be installed. So what it said is kept in
`irrcac.json`, and compared with what it says where it is there (`pip install --no-deps irrCAC pandas`).
"""

from __future__ import annotations

import json
import random
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from regrade.flips.labels import LABELS

FILE = Path(__file__).with_name("irrcac.json")
REVIEWERS, MISSING, SEEDS = (2, 3, 5), (0.0, 0.3), range(40)
Rows = list[list[str | None]]


def drawn(seed: int, reviewers: int, missing: float) -> Rows:
    """A row a trial, a column a reviewer: labels that lean on one truth, of shares and a care drawn by the seed."""
    dice = random.Random(seed)
    shares = [dice.random() ** 2 + 0.01 for _ in LABELS]
    care, n = dice.random(), dice.randint(2, 60)
    rows: Rows = []
    for _ in range(n):
        [truth] = dice.choices(LABELS, shares)
        row = [truth if dice.random() < care else dice.choices(LABELS, shares)[0] for _ in range(reviewers)]
        rows.append([None if dice.random() < missing else label for label in row])
    return rows


def compared(rows: Rows) -> Rows:
    """The trials with two labels or more."""
    return [row for row in rows if sum(label is not None for label in row) > 1]


def tables() -> Iterator[tuple[str, Rows]]:
    """Each drawn table by its name, if it has two trials to compare and two labels among them."""
    for reviewers in REVIEWERS:
        for missing in MISSING:
            for seed in SEEDS:
                rows = drawn(seed, reviewers, missing)
                held = compared(rows)
                if len(held) > 1 and len({label for row in held for label in row if label}) > 1:
                    yield f"{reviewers}/{missing}/{seed}", rows


def said(rows: Rows) -> dict[str, list[float]]:
    """Value, standard error and bounds of irrCAC's AC1 and alpha."""
    import pandas as pd
    from irrCAC.raw import CAC

    numbers = [[None if label is None else float(LABELS.index(label)) for label in row] for row in rows]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = CAC(pd.DataFrame(numbers, dtype=float), categories=[0.0, 1.0, 2.0], digits=9)
        found: dict[str, Any] = {"ac1": table.gwet()["est"], "alpha": table.krippendorff()["est"]}
    return {
        name: [float(x) for x in (each["coefficient_value"], each["se"], *each["confidence_interval"])]
        for name, each in found.items()
    }


if __name__ == "__main__":
    lines = [f"{json.dumps(name)}: {json.dumps(said(rows))}" for name, rows in tables()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
