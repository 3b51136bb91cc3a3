"""What the logs of the field call each column, the likeliest name first, as `fields.plain` writes it.

A name may hold that of the object above: `agent_name` is also `agent.name`.
"""

CONFIGURATION = (
    "configuration", "config", "configuration_id", "config_id", "config_name", "model_config", "model",
    "model_name", "model_id", "model_name_or_path", "pipeline_name", "pipeline", "agent_name", "agent_info_llm",
    "agent", "agent_id", "system_name", "llm", "engine", "deployment", "checkpoint", "solver", "completion_fn",
    "provider_id", "provider", "llm_config_model",
)  # fmt: skip
ITEM = (
    "item", "item_id", "task_id", "question_id", "problem_id", "doc_id", "sample_id", "example_id", "instance_id",
    "case_id", "test_id", "prompt_id", "query_id", "puzzle_id", "scenario_id", "user_task_id", "user_task",
    "episode", "episode_id", "qid", "id", "uid", "uuid", "test_idx", "idx", "index", "doc_index", "key", "number",
    "row", "name", "task_name", "test_name", "task",
)  # fmt: skip
ITEM_BARE = ("id", "uid", "uuid", "idx", "index", "key", "number", "row", "name", "task", "n")
"""Names of anything's id: an item's at the top of a record, or in one of the following."""
ITEM_ABOVE = (
    "item",
    "doc",
    "task",
    "question",
    "problem",
    "example",
    "sample",
    "test",
    "test_case",
    "case",
    "instance",
    "issue",
)
TRIAL = ("trial", "trial_id", "rep", "repeat", "repetition", "epoch", "attempt", "replicate", "replica", "trial_index")
TRIAL_IF_NEEDED = (
    "attempt_id", "sample_index", "sample_idx", "sample", "seed", "iteration", "generation_index", "completion_index",
    "run_idx", "run_index", "run", "run_id", "round", "k", "n", "prompt_idx", "injection_task_id",
)  # fmt: skip
"""Names that may mean several trials of an item; taken where the item alone does not tell records apart."""
RUN = ("run", "run_id", "run_name", "experiment", "experiment_id", "session", "session_id")
TURNS = (
    "turns", "messages", "conversation", "conversations", "traj", "trajectory", "transcript", "dialogue", "dialog",
    "chat", "history", "full_messages",
)  # fmt: skip
REPLY = (
    "reply", "response", "response_text", "model_response", "model_response_text", "output", "output_text",
    "model_output", "completion", "completion_text", "generation", "generated_text", "generated_answer", "generated",
    "raw_output", "raw_response", "model_answer", "message_content", "final_answer", "final_response", "final_output",
    "assistant", "llm_output", "llm_response", "response_output", "sampled", "model_result_raw", "prediction",
    "predicted_answer", "resps", "response_content", "result", "code", "git_patch", "model_patch", "patch",
    "submission", "solution", "answer", "text", "content", "a", "pred", "predicted",
)  # fmt: skip
REPLY_OR_ANY_TEXT = ("text", "content", "a")
"""Names of anything's text: the reply's where the log has no other long text that no name tells of."""
NO_REPLY_IN = (
    "doc",
    "usage",
    "metadata",
    "item",
    "task",
    "prompt",
    "input",
    "instance",
    "target",
    "reference",
    "vars",
    "error",
)
"""Objects in which no reply is looked for."""
STATE = ("state", "final_state", "env_state", "environment_state", "final_env_state", "world_state")
EXTRA = ("extra", "metadata", "meta")

FAMILY = (
    "family", "category", "subject", "domain", "topic", "suite_name", "suite", "subset", "task_type", "question_type",
    "test_category", "dataset", "type", "task_name", "task",
)  # fmt: skip
PROMPT = (
    "prompt", "prompt_text", "question", "question_text", "problem", "problem_statement", "query", "instruction",
    "instructions", "user_prompt", "task_description", "input", "input_text", "doc_query", "prompt_raw", "q",
)  # fmt: skip
GOLD = (
    "gold", "gold_answer", "gold_final_answer", "ground_truth", "ground_truth_answer", "groundtruth", "target",
    "expected", "expected_answer", "expected_output", "expected_result", "correct_answer", "reference",
    "reference_answer", "reference_output", "answer_key", "true_answer", "gt", "gt_answer", "right_answer", "ideal",
    "possible_answer", "answer", "label", "gold_index", "answer_index", "solution",
)  # fmt: skip

GRADE = (
    "passed", "pass", "is_correct", "correct", "is_passed", "success", "is_success", "successful", "is_resolved",
    "resolved", "solved", "is_solved", "is_right", "is_valid", "verdict", "outcome", "grade", "graded", "judgement",
    "judgment", "result", "status", "reward", "score", "valid", "ok", "match", "is_match", "accuracy", "rating",
)  # fmt: skip
"""One verdict on the trial; the likeliest is the axis `pass`."""
GRADE_OF_ONE_KIND = (
    "acc", "acc_norm", "exact_match", "em", "f1", "utility", "security", "safe", "faithful", "format_ok", "grounded",
    "strict_match", "flexible_extract", "base_status", "plus_status", "pass_at_1",
)  # fmt: skip
"""Names that grade one thing among others: each is an axis of its own name."""
GRADES = ("scores", "score", "grades", "grade", "metrics", "metric", "value", "values", "checks", "verdicts", "evals")
"""Objects whose 0/1 keys are grades, whatever they are called."""
NO_GRADE = ("cost", "time", "token", "tokens", "latency", "count", "num", "duration", "seconds", "stderr")
"""Words in a name that is no grade."""
CODE = ("code", "error_type", "failure_mode", "failure_code", "error_code", "fail_code", "failure_type", "reason_code")
ANSWER = (
    "extracted_answer", "extracted_prediction", "extracted", "extracted_value", "parsed_answer", "parsed",
    "predicted_answer", "predicted", "prediction", "pred", "read", "answer", "model_answer", "final_answer", "choice",
)  # fmt: skip

WORDS = (
    ("C", "I"), ("pass", "fail"), ("passed", "failed"), ("true", "false"), ("correct", "incorrect"),
    ("correct", "wrong"), ("right", "wrong"), ("yes", "no"), ("success", "failure"), ("success", "fail"),
    ("resolved", "unresolved"), ("solved", "unsolved"), ("ok", "error"), ("1", "0"), ("accepted", "rejected"),
)  # fmt: skip
"""Words that a log grades with: passed, failed."""
LETTERS = ("P", "N")
"""Partly right, and no answer: failed where `C` and `I` are the grades."""
TURNED = ("security",)
"""Grades of which true may be the bad end."""
