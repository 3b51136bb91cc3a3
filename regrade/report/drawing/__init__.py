"""Drawing: each chart's picture, made in a process of its own (see `regrade.report.charts`).

Each module draws one kind of chart: `draw(rows, options)` gives an Altair chart. Colours are those of `ink`, which the
page's style replaces by its own, for light and for dark.
"""
