"""What the graders and rules of this folder share."""

import polars as pl


def each(prefix: str, names: pl.Expr) -> pl.Expr:
    """Requirements out of tool names: `call list_files`, `never delete_file`."""
    return names.list.eval(pl.lit(prefix + " ") + pl.element())


def only_if(condition: pl.Expr, requirement: str) -> pl.Expr:
    """A list of the one requirement where the condition holds, else the empty list."""
    return pl.when(condition).then(pl.concat_list(pl.lit(requirement))).otherwise(nothing())


def nothing() -> pl.Expr:
    """No requirement missed."""
    return pl.lit(pl.Series([[]], dtype=pl.List(pl.String))).first()
