"""The sections of the page, one a module, each with a template of its name."""
