"""What the grader and the rules of this folder share."""


def final(solution):
    """What follows the last `A:` of a solution (all of it without one), without commas and dollar signs."""
    return solution.rpartition("A:")[2].replace(",", "").replace("$", "").strip()
