"""The small fake world that the tools act on, with its planted faults."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from typing import Any

Result = dict[str, Any]

SIGNATURES = {
    "list_files": "list_files(folder)",
    "read_file": "read_file(path)",
    "write_file": "write_file(path, text)",
    "delete_file": "delete_file(path)",
    "list_tickets": "list_tickets(status)",
    "get_ticket": "get_ticket(id)",
    "update_ticket": "update_ticket(id, field, value)",
    "close_ticket": "close_ticket(id)",
    "list_page": "list_page(list, token)",
    "read_sensor": "read_sensor(unit)",
    "refresh_sensor": "refresh_sensor(unit)",
    "set_unit": "set_unit(unit, target)",
    "start_job": "start_job(name)",
    "job_status": "job_status(job)",
    "cancel_job": "cancel_job(job)",
    "find_contact": "find_contact(name)",
    "draft_email": "draft_email(to, subject, body)",
    "read_draft": "read_draft(draft)",
    "send_email": "send_email(draft)",
}


class World:
    """State and tools. `changes[n]` is merged in before the script's n-th later turn."""

    def __init__(self, setup: dict[str, Any]) -> None:
        """Copy an item's setup."""
        self.state: dict[str, Any] = copy.deepcopy(setup)
        self.drafts: list[dict[str, str]] = []
        self.sent: list[str] = []
        self.seen: dict[str, int] = {}

    def advance(self, turn: int) -> None:
        """What happens in the world while the user is away."""
        for part, news in self.state.get("changes", {}).get(turn, {}).items():
            self.state[part].update(copy.deepcopy(news))

    def call(self, tool: str, arguments: dict[str, Any]) -> Result:
        """Run one tool; trouble comes back as a result with `error`."""
        flaky = self.state.get("flaky", {})
        if flaky.get(tool, 0) > 0:
            flaky[tool] -= 1
            return {"error": self.state.get("flaky_text", "temporarily unavailable, try again")}
        function: Callable[..., Result] | None = getattr(self, f"tool_{tool}", None)
        if function is None or tool not in SIGNATURES:
            return {"error": f"no such tool: {tool}"}
        try:
            return function(**arguments)
        except TypeError:
            return {"error": "bad arguments"}
        except KeyError as missing:
            return {"error": f"not found: {missing.args[0]}"}

    def _count(self, key: str) -> int:
        """How many times this was looked at before."""
        self.seen[key] = self.seen.get(key, 0) + 1
        return self.seen[key] - 1

    def _swallowed(self, key: str) -> bool:
        """The planted silent failure: the first writes report success and store nothing."""
        silent = self.state.get("silent", {})
        if silent.get(key, 0) > 0:
            silent[key] -= 1
            return True
        return False

    def tool_list_files(self, folder: str = "") -> Result:
        """Names in a folder."""
        prefix = folder.strip("/") + "/" if folder.strip("/") else ""
        return {"files": sorted(p[len(prefix) :] for p in self.state["files"] if p.startswith(prefix))}

    def tool_read_file(self, path: str) -> Result:
        """The text of a file."""
        return {"path": path, "text": self.state["files"][path]}

    def tool_write_file(self, path: str, text: str) -> Result:
        """Store a file, or say so."""
        if not self._swallowed(path):
            self.state["files"][path] = text
        return {"ok": True}

    def tool_delete_file(self, path: str) -> Result:
        """Remove a file."""
        del self.state["files"][path]
        return {"ok": True, "deleted": path}

    def tool_list_tickets(self, status: str = "open") -> Result:
        """Short rows of the tickets in a status."""
        rows = [
            {"id": key, "title": row["title"], "owner": row["owner"]}
            for key, row in self.state["tickets"].items()
            if status in (row["status"], "any")
        ]
        return {"tickets": rows}

    def tool_get_ticket(self, id: str) -> Result:
        """One ticket."""
        return {"id": id, **self.state["tickets"][id]}

    def tool_update_ticket(self, id: str, field: str, value: str) -> Result:
        """Change a field of a ticket, or say so."""
        row = self.state["tickets"][id]
        if not self._swallowed(id):
            row[field] = value
        return {"ok": True, "id": id}

    def tool_close_ticket(self, id: str) -> Result:
        """Close a ticket."""
        self.state["tickets"][id]["status"] = "closed"
        return {"ok": True, "id": id}

    def tool_list_page(self, list: str, token: str = "") -> Result:
        """One page of a list. It takes any token that holds a page number: nobody checks who issued it."""
        pages, tokens = self.state["pages"][list], self.state["tokens"]
        found = re.search(r"\d+", token)
        page = tokens.index(token) if token in tokens else int(found.group(0)) - 1 if found else 0
        if page not in range(len(pages)):
            return {"rows": [], "next": None}
        return {"rows": pages[page], "next": tokens[page + 1] if page + 1 < len(pages) else None}

    def tool_read_sensor(self, unit: int | str) -> Result:
        """The reading that the hub holds for a unit."""
        unit_row = self.state["sensors"][str(unit)]
        return {"unit": unit, **{k: v for k, v in unit_row.items() if k != "live"}}

    def tool_refresh_sensor(self, unit: int | str) -> Result:
        """Make the hub fetch a live reading."""
        row = self.state["sensors"][str(unit)]
        if "live" in row:
            row.update(value=row["live"], age_s=2)
        return {"ok": True, "unit": unit}

    def tool_set_unit(self, unit: int | str, target: float | str) -> Result:
        """Set a unit's target."""
        self.state["sensors"][str(unit)]["target"] = target
        return {"ok": True, "unit": unit}

    def tool_start_job(self, name: str) -> Result:
        """Start a job."""
        return {"job": self.state["job_names"][name]}

    def tool_job_status(self, job: str) -> Result:
        """The next state of a job; the last one stays."""
        states = self.state["jobs"][job]
        return {"job": job, **states[min(self._count(job), len(states) - 1)]}

    def tool_cancel_job(self, job: str) -> Result:
        """Cancel a job."""
        self.state["jobs"][job] = [{"state": "CANCELLED"}]
        return {"ok": True, "job": job}

    def tool_find_contact(self, name: str) -> Result:
        """People whose name holds the text."""
        found = [row for row in self.state["contacts"] if name.lower() in row["name"].lower()]
        return {"matches": found}

    def tool_draft_email(self, to: str, subject: str = "", body: str = "") -> Result:
        """Keep a draft."""
        self.drafts.append({"to": to, "subject": subject, "body": body})
        return {"draft": f"D{len(self.drafts)}", "to": to}

    def tool_read_draft(self, draft: str) -> Result:
        """Show a draft."""
        number = int(draft[1:] or 0) if draft[1:].isdigit() else 0
        if number not in range(1, len(self.drafts) + 1):
            raise KeyError(draft)
        return {"draft": draft, **self.drafts[number - 1]}

    def tool_send_email(self, draft: str) -> Result:
        """Send a draft."""
        self.sent.append(draft)
        return {"ok": True, "sent": draft}

    def final_state(self) -> dict[str, Any]:
        """What is left behind, compact."""
        left: dict[str, Any] = {}
        if "files" in self.state:
            left["files"] = dict(sorted(self.state["files"].items()))
        if "tickets" in self.state:
            left["tickets"] = {
                k: {"status": v["status"], "owner": v["owner"]} for k, v in self.state["tickets"].items()
            }
        if "sensors" in self.state:
            left["sensors"] = {k: v["value"] for k, v in self.state["sensors"].items()}
        if "jobs" in self.state:
            left["polls"] = {k: self.seen.get(k, 0) for k in self.state["jobs"]}
        if "contacts" in self.state:
            left["drafts"], left["sent"] = [d["to"] for d in self.drafts], list(self.sent)
        return left
