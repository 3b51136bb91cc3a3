"""Grades into flips: what each candidate changes, counted by tier, item and configuration."""
