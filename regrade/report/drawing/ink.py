"""Ink: the colours and letters of every chart.

The page's style names each of these colours and puts its own in their place, so that a picture follows the theme; a
colour that it does not name would not. They are safe for colour blindness (Okabe and Ito's), and no chart tells two
things apart by colour alone.
"""

from __future__ import annotations

from typing import Any

import altair as alt

Drawn = alt.Chart | alt.LayerChart | alt.FacetChart | alt.HConcatChart | alt.VConcatChart
"""What a drawing gives."""

TEXT = "#1c2024"
QUIET = "#5a636e"
LINE = "#d4d9df"
BLUE = "#0072b2"
ORANGE = "#d55e00"
GREEN = "#009e73"
GOLD = "#e69f00"

FONT = "Liberation Sans"
"""The renderer brings it, so that a text has the same width on every machine."""

CONFIG: dict[str, Any] = {
    "aria": False,
    "background": "transparent",
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": TEXT,
        "titleColor": TEXT,
        "titleFontWeight": "normal",
        "gridColor": LINE,
        "domainColor": QUIET,
        "tickColor": QUIET,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "labelLimit": 320,
    },
    "legend": {
        "orient": "top",
        "labelColor": TEXT,
        "titleColor": TEXT,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "labelLimit": 320,
    },
    "header": {"labelColor": TEXT, "titleColor": TEXT, "labelFontSize": 12, "titleFontSize": 12},
    "text": {"color": TEXT, "fontSize": 12},
    "line": {"strokeWidth": 2},
}
