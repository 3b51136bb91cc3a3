"use strict";
(() => {
const SCHEMA = "regrade.verdicts/1";
const one = (id) => document.getElementById(id);
const {sample, reviewer, key} = document.querySelector("main").dataset;
// Of the key too: whoever reviews a draw may be given a part of it again, to rule on.
const place = `${SCHEMA} ${sample} ${reviewer} ${key}`;
const trials = [...document.querySelectorAll("article")];
const number = new Map(trials.map((trial, index) => [trial.dataset.id, index]));
const radios = (trial) => [...trial.querySelectorAll("input[type=radio]")];
const labels = trials.map((trial) => radios(trial).map((radio) => radio.value));
const box = (trial) => trial.querySelector("textarea");

let answers = new Map();   // id -> {label: text or null, comment: text}
let saved = true;          // the last file has what stands here
let kept = true;           // the browser keeps what is written to it
let barred = false;        // what it kept cannot be read, and cannot be put aside either
let here = 0;

const tell = (text) => { one("told").textContent = text; };
const answer = (trial) => answers.get(trial.dataset.id) ?? {label: null, comment: ""};
const labelled = () => trials.filter((trial) => answer(trial).label !== null);
const entries = (list) => list.map((trial) => ({id: trial.dataset.id, ...answer(trial)}));

// The first thing that keeps a list of verdicts from standing in this page, or null.
const fault = (verdicts, blank) => {
  if (!Array.isArray(verdicts)) return "it has no list of verdicts";
  const seen = new Set();
  for (const verdict of verdicts) {
    const id = verdict?.id;
    if (!number.has(id)) return `${JSON.stringify(id)} is no trial of this packet`;
    if (seen.has(id)) return `trial ${number.get(id) + 1} stands in it twice`;
    seen.add(id);
    const known = labels[number.get(id)];
    if (!(known.includes(verdict.label) || (blank && verdict.label === null)))
      return `trial ${number.get(id) + 1} is labelled ${JSON.stringify(verdict.label)}; known: ${known.join(", ")}`;
    if (!["string", "undefined"].includes(typeof verdict.comment))
      return `the comment on trial ${number.get(id) + 1} is no text`;
  }
  return null;
};
const table = (verdicts) => new Map(verdicts.map(({id, label, comment}) => [id, {label, comment: comment ?? ""}]));

// Keeps a text that cannot be read in a place of its own, so that it is not written over; throws where there is no room.
const putAside = (text) => {
  let other = 1;
  while (![null, text].includes(localStorage.getItem(`${place} unread ${other}`))) other += 1;
  localStorage.setItem(`${place} unread ${other}`, text);
  localStorage.removeItem(place);
};

// Another tab may have this packet open: what it kept is read before each change, and as it changes.
const recall = () => {
  let text = null;
  barred = false;
  try { text = localStorage.getItem(place); } catch { kept = false; }
  if (text === null) return {};
  try {
    const state = JSON.parse(text);
    if (fault(state.verdicts, true) !== null) throw new TypeError();
    answers = table(state.verdicts);
    saved = state.saved === true;
    return state;
  } catch {
    try { putAside(text); } catch { barred = true; }
    tell("What this browser had kept of this packet cannot be read. " + (barred
      ? "It stays, and nothing is kept beside it: save before you close." : "It is put aside. Load the last saved file."));
    return {};
  }
};
const keep = () => {
  const state = {verdicts: entries(trials.filter((trial) => answers.has(trial.dataset.id))), saved,
    at: trials[here].dataset.id, keys: one("keys").checked};
  try {
    if (barred) throw new Error();
    localStorage.setItem(place, JSON.stringify(state));
    kept = true;
  } catch { kept = false; }
};

const showTrial = (trial) => {
  const {label, comment} = answer(trial);
  for (const radio of radios(trial)) radio.checked = radio.value === label;
  if (box(trial).value !== comment) box(trial).value = comment;
  const index = number.get(trial.dataset.id);
  const marks = [index + 1, ...(label === null ? [] : [label]), ...(comment ? ["commented"] : [])];
  one("go").options[index].textContent = marks.join(", ");
};
const showCounts = () => {
  const done = labelled().length;
  one("progress").value = done;
  one("counted").textContent = `${done} of ${trials.length} answered` +
    (saved ? "" : ", not in a file yet") + (kept ? "" : ". This browser keeps nothing: save before you close");
};
const showAll = () => { trials.forEach(showTrial); showCounts(); };

const change = (trial, what) => {
  recall();
  answers.set(trial.dataset.id, {...answer(trial), ...what});
  saved = false;
  keep();
  showTrial(trial);
  showCounts();
};
const setLabel = (trial, label) => {
  change(trial, {label});
  const done = labelled().length;
  tell(`Trial ${here + 1}: ${label ?? "no answer"}. ` + (done === trials.length ? "All are answered: save the file."
    : `${done} of ${trials.length} answered.`));
};

const show = (index) => {
  here = index;
  trials.forEach((trial, other) => { trial.hidden = other !== index; });
  one("go").value = String(index);
  document.title = `Trial ${index + 1} of ${trials.length}, blind review`;
};
const go = (index) => {
  if (!(index in trials)) return tell(index < 0 ? "This is the first trial." : "This is the last trial.");
  recall();
  show(index);
  keep();
  showTrial(trials[index]);
  showCounts();
  const name = trials[index].querySelector("h2");
  name.scrollIntoView();
  name.focus({preventScroll: true});
};
const goOpen = () => {
  recall();
  const order = [...trials.slice(here + 1), ...trials.slice(0, here + 1)];
  const next = order.find((trial) => answer(trial).label === null);
  if (next) go(number.get(next.dataset.id)); else tell("All are answered: save the file.");
};

const unfold = (trial) => {
  const results = [...trial.querySelectorAll(".result")];
  const open = results.some((result) => !result.open);
  for (const result of results) result.open = open;
};

const save = () => {
  recall();
  const done = labelled();
  const text = JSON.stringify({schema: SCHEMA, sample, reviewer, verdicts: entries(done)}, null, 1) + "\n";
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], {type: "application/json"}));
  link.download = `verdicts-${reviewer}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  saved = true;
  keep();
  showAll();
  const loose = trials.filter((trial) => answer(trial).label === null && answer(trial).comment);
  tell(`${link.download} was handed to the browser with ${done.length} of ${trials.length} answers.` + (loose.length
    ? ` Not in it, for want of an answer: the comments on ${loose.map((t) => number.get(t.dataset.id) + 1).join(", ")}.` : ""));
};
const load = async (file) => {
  let data = null;
  try { data = JSON.parse(await file.text()); } catch { return tell(`${file.name} was not loaded: it is not JSON.`); }
  const wrong = data?.schema !== SCHEMA ? `it is no file of the kind ${SCHEMA}`
    : data.sample !== sample ? "it is of another sample"
    : data.reviewer !== reviewer ? `it is of reviewer ${JSON.stringify(data.reviewer)}` : fault(data.verdicts, false);
  if (wrong !== null) return tell(`${file.name} was not loaded: ${wrong}.`);
  recall();
  const loaded = table(data.verdicts);
  const other = [...loaded].filter(([id, {label, comment}]) => {
    const mine = answers.get(id);
    return mine && ((mine.label !== null && mine.label !== label) || (mine.comment && mine.comment !== comment));
  });
  const asked = `On ${other.length} of the trials the file has another answer or comment than this page. Take the file's?`;
  if (other.length && !confirm(asked)) return tell(`${file.name} was not loaded.`);
  answers = new Map([...answers, ...loaded]);
  saved = [...answers].every(([id, {label}]) => label === null || loaded.has(id));
  keep();
  showAll();
  tell(`${file.name} was loaded: ${loaded.size} answers.`);
};

const KEYS = {
  n: () => go(here + 1), p: () => go(here - 1), u: goOpen, s: save, t: () => unfold(trials[here]),
  c: () => box(trials[here]).focus(), 0: () => setLabel(trials[here], null),
};
document.addEventListener("keydown", (event) => {
  if (event.target.matches("textarea")) {
    if (event.key === "Escape") trials[here].querySelector("h2").focus();
    return;
  }
  if (!one("keys").checked || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  if (event.target.matches("select, input[type=file]")) return;
  const key = event.key.toLowerCase();
  const radio = /^[1-9]$/.test(key) ? radios(trials[here])[key - 1] : undefined;
  const act = radio ? () => setLabel(trials[here], radio.value) : Object.hasOwn(KEYS, key) ? KEYS[key] : null;
  if (act === null) return;
  event.preventDefault();
  act();
});
for (const trial of trials) {
  for (const radio of radios(trial)) radio.addEventListener("change", () => setLabel(trial, radio.value));
  box(trial).addEventListener("input", () => change(trial, {comment: box(trial).value}));
  trial.querySelector(".clear").addEventListener("click", () => setLabel(trial, null));
  trial.querySelector(".back").addEventListener("click", KEYS.p);
  trial.querySelector(".on").addEventListener("click", KEYS.n);
  trial.querySelector(".unfold")?.addEventListener("click", KEYS.t);
}
one("go").addEventListener("change", (event) => go(Number(event.target.value)));
one("open").addEventListener("click", goOpen);
one("save").addEventListener("click", save);
one("keys").addEventListener("change", () => { recall(); keep(); });
one("load").addEventListener("change", async ({target}) => {
  if (target.files.length) await load(target.files[0]);
  target.value = "";
});
addEventListener("storage", (event) => { if (event.key === place) { recall(); showAll(); } });
addEventListener("beforeunload", (event) => { if (!kept && !saved) event.preventDefault(); });

const state = recall();
one("keys").checked = state.keys !== false;
show(number.get(state.at) ?? 0);
if (answers.size) tell(`Resumed: ${labelled().length} of ${trials.length} answered.`);
showAll();
})();
