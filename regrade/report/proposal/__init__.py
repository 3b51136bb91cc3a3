"""The proposal of a second version: one content, written as Markdown and as a page."""
