"use strict";
// Find trials: the list below the filters shows those that fit all of them, and the address keeps what was asked.
document.documentElement.className = "scripted";
document.addEventListener("DOMContentLoaded", () => {
  const STEP = 100;
  const one = (id) => document.getElementById(id);
  const fields = [...document.querySelectorAll("[data-by]")];
  const field = Object.fromEntries(fields.map((each) => [each.dataset.by, each]));
  const families = new Map(), tiers = new Map();
  for (const option of field.item.options) families.set(option.value, option.parentNode.dataset.family);
  for (const option of field.configuration.options) tiers.set(option.value, (option.dataset.tiers || "").split(" "));
  const kinds = [...document.querySelectorAll(".kind")].map((section) => ({
    section,
    id: section.querySelector("h4").id,
    moves: JSON.parse(section.dataset.moves),
    lists: [...section.querySelectorAll(".rows")].map((list) => ({
      list,
      rows: [...list.children].map((row) => {
        const [configuration, item] = keys(row);
        return { row, configuration, item, text: null };
      }),
    })),
  }));
  const every = kinds.flatMap((kind) => kind.lists.flatMap((each) => each.rows));
  let kindAlone = "", most = STEP, before = [];

  function keys(row) {
    const link = row.querySelector("a");
    return link.hash.slice("#t-".length).split("/");
  }

  function plain(text) {
    return text.normalize("NFC").toLowerCase();
  }

  function moved(kind, asked) {
    if (kindAlone && kind.id !== kindAlone) return false;
    return kind.moves.some(([candidate, direction, codes]) =>
      (!asked.candidate || candidate === asked.candidate) &&
      (!asked.direction || direction === asked.direction) &&
      (!asked.code || codes.includes(asked.code)));
  }

  function fits(found, asked, words) {
    if (asked.item && found.item !== asked.item) return false;
    if (asked.configuration && found.configuration !== asked.configuration) return false;
    if (asked.family && families.get(found.item) !== asked.family) return false;
    if (asked.tier && !tiers.get(found.configuration).includes(asked.tier)) return false;
    if (!words) return true;
    found.text ??= plain(found.row.querySelector("span").textContent);
    return found.text.includes(words);
  }

  function show() {
    const asked = Object.fromEntries(fields.map((each) => [each.dataset.by, each.value]));
    const words = plain(asked.text);
    let found = 0;
    for (const row of before) row.classList.remove("on");
    before = [];
    for (const kind of kinds) {
      const can = moved(kind, asked);
      let any = false;
      for (const { list, rows } of kind.lists) {
        const start = before.length;
        if (can) for (const each of rows) {
          if (fits(each, asked, words) && ++found <= most) before.push(each.row);
        }
        const here = before.length > start;
        list.classList.toggle("on", here);
        list.previousElementSibling.classList.toggle("on", here);
        any = any || here;
      }
      kind.section.classList.toggle("on", any);
    }
    for (const row of before) row.classList.add("on");
    const alone = kindAlone ? `, ${kindAlone.replace("-", " ")} alone` : "";
    const first = found > before.length ? `; the first ${before.length.toLocaleString("en")} stand here` : "";
    const noun = every.length === 1 ? "trial" : "trials";
    const all = every.length.toLocaleString("en");
    one("counted").textContent = found
      ? `${found.toLocaleString("en")} of ${all} ${noun}${alone}${first}`
      : `No trial of ${all} matches; reset or widen`;
    one("more").hidden = found <= before.length;
    one("here").hash = address();
  }

  function address() {
    if (kindAlone) return `#${kindAlone}`;
    const given = fields.filter((each) => each.value).map((each) => [each.dataset.by, each.value]);
    return given.length ? `#find?${new URLSearchParams(given)}` : "#find";
  }

  function ask() {
    kindAlone = "";
    most = STEP;
    show();
    history.replaceState(null, "", address());
  }

  function follow() {
    const hash = location.hash;
    if (!/^#(find\?|kind-)/.test(hash)) return;
    const given = new URLSearchParams(hash.split("?")[1] || "");
    kindAlone = hash.startsWith("#kind-") ? hash.slice(1) : "";
    for (const each of fields) {
      each.value = given.get(each.dataset.by) || "";
      // What an old link asks for may be no choice of this page.
      if (each.selectedIndex === -1) each.value = "";
    }
    most = STEP;
    show();
    one("find").scrollIntoView();
  }

  for (const each of fields) each.addEventListener("input", ask);
  one("reset").addEventListener("click", () => {
    for (const each of fields) each.value = "";
    ask();
  });
  one("more").addEventListener("click", () => {
    const next = before[before.length - 1];
    most += STEP;
    show();
    const at = before.indexOf(next) + 1;
    before[at]?.querySelector("a").focus();
  });
  window.addEventListener("hashchange", follow);
  for (const link of document.querySelectorAll("a[data-view]")) link.hash = `find?${link.dataset.view}`;
  for (const hidden of document.querySelectorAll(".filters, .needs-script")) hidden.hidden = false;
  show();
  follow();
});
