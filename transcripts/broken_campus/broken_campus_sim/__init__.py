"""The simulated campus benchmark: its knowledge base, cases, harness, first grader and invented configurations."""
