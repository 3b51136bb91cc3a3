"""Audit and regrade saved transcripts of LLM and agent benchmarks."""

__version__ = "0.1.0"
