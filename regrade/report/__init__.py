"""Reports: one static page, and what the commands print for a person."""
