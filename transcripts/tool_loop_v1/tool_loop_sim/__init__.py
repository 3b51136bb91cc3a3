"""The simulated tool-loop benchmark: its bank, its world, its frozen grader and its invented configurations."""
