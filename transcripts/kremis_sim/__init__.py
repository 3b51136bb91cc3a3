"""The simulated fabrication benchmark: its two worlds, its own classifier and its invented configurations."""
