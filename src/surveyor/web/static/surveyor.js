/* Keys for lists, and charts. Every page works without this file. */
(() => {
  "use strict";
  const rows = () => [...document.querySelectorAll("[data-row]")];
  const current = () => document.querySelector('[data-row][aria-current="true"]');

  function select(row) {
    const before = current();
    if (before) before.removeAttribute("aria-current");
    if (!row) return;
    row.setAttribute("aria-current", "true");
    row.scrollIntoView({ block: "nearest" });
    if (panel() && !panel().hidden) showPanel();
    const more = document.querySelector(".more a");
    // The next rows are fetched before a person gets there.
    if (more && rows().indexOf(row) > rows().length - 8) more.dispatchEvent(new Event("more"));
  }

  function move(step) {
    const all = rows();
    const place = all.indexOf(current());
    select(all[Math.max(0, Math.min(all.length - 1, place + step))] || null);
  }

  function following(row) {
    const all = rows();
    return all[all.indexOf(row) + 1] || all[all.indexOf(row) - 1] || null;
  }

  // What keys act on: the chosen row, else the one candidate that is shown.
  const subject = () => current() || document.getElementById("desk");
  const part = (what) => subject() && subject().querySelector(what);
  let busy = false; // a candidate's answer is under way: its successor is not decided unseen

  function send(form) {
    if (form && !busy) form.requestSubmit(form.querySelector("button"));
  }

  function reject() {
    const field = part('[data-act="reject"] input[name="reason"]');
    if (field) field.focus();
  }

  // The reason that was kept under this number.
  function rejectFor(number) {
    const reason = document.querySelectorAll("[data-reason]")[number - 1];
    const form = part('[data-act="reject"]');
    if (!reason || !form || busy) return;
    form.elements.reason.value = reason.dataset.reason;
    send(form);
  }

  function visit() {
    const link = part("[data-visit]");
    if (link) link.click();
  }

  function unfold() {
    const more = part("details:not(.reasons)");
    if (more) more.open = !more.open;
  }

  // --- evidence beside the queue; it follows the chosen row
  const panel = () => document.getElementById("panel");

  function showPanel() {
    const row = current();
    if (!panel() || !row || !row.dataset.panel || panel().dataset.of === row.dataset.panel) return;
    panel().dataset.of = row.dataset.panel;
    panel().hidden = false;
    htmx.ajax("GET", row.dataset.panel, { target: "#panel-what", swap: "innerHTML" });
  }

  function hidePanel() {
    if (!panel() || panel().hidden) return false;
    panel().hidden = true;
    delete panel().dataset.of;
    return true;
  }

  function beside() {
    if (!current() || !current().dataset.panel) open();
    else if (!hidePanel()) showPanel();
  }
  document.addEventListener("click", (event) => { if (event.target.closest("[data-close]")) hidePanel(); });

  // The latest of this page, else the latest of the list of mine.
  const decided = [];

  function undo() {
    let form = decided.pop();
    while (form && !form.isConnected) form = decided.pop();
    form = form || document.querySelector("[data-undo]");
    send(form);
  }

  document.addEventListener("htmx:afterSwap", (event) => {
    const elt = event.detail.requestConfig && event.detail.requestConfig.elt;
    if (!elt || !elt.matches("[data-act], [data-undo]")) return;
    const name = event.detail.requestConfig.formData.get("domain");
    if (elt.matches("[data-undo]")) {
      const open = `/domains/${encodeURIComponent(name)}`;
      const back = rows().find((row) => row.dataset.open === open);
      if (back) {
        htmx.process(back); // it would do so a moment later, and a key pressed until then leave the page
        select(back);
      }
      return;
    }
    const done = [...document.querySelectorAll("[data-done] [data-undo]")];
    const mine = done.find((form) => form.elements.domain.value === name);
    if (mine) {
      htmx.process(mine);
      decided.push(mine);
    }
  });

  function tick() {
    const box = current() && current().querySelector('input[type="checkbox"]');
    if (box) box.click();
  }

  function open() {
    const row = current();
    const take = row && row.querySelector("[data-take]");
    if (take) send(take);
    else if (row) location.assign(row.dataset.open);
  }

  function nextPage() {
    const link = document.querySelector("a.next");
    if (link) link.click();
  }

  function search() {
    const field = document.querySelector("[data-search]") || document.querySelector("[data-find]");
    if (field) field.focus();
  }

  // Only keys that do something on this page.
  function help() {
    const dialog = document.getElementById("keys");
    if (!dialog || dialog.open) return;
    dialog.querySelectorAll("[data-needs]").forEach((term) => {
      const works = document.querySelector(term.dataset.needs) !== null;
      term.hidden = !works;
      term.nextElementSibling.hidden = !works;
    });
    dialog.showModal();
  }

  const keys = {
    j: () => move(1), k: () => move(-1), o: beside, Enter: open, r: reject, u: undo, x: tick,
    a: () => send(part('[data-act="approve"]')), s: () => send(part('[data-act="skip"]')),
    v: visit, " ": unfold, n: nextPage, "/": search, "?": help, Escape: hidePanel,
  };
  for (let number = 1; number <= 9; number += 1) keys[number] = () => rejectFor(number);
  const ONCE = new Set("arsuxv123456789"); // whatever changes something
  let going = false;

  // A keyboard that writes other letters has the same keys in the same places.
  function keyOf(event) {
    if (event.key.length !== 1 || event.key.charCodeAt(0) < 128) return event.key;
    const letter = /^Key([A-Z])$/.exec(event.code);
    if (letter) return letter[1].toLowerCase();
    const digit = /^Digit([0-9])$/.exec(event.code);
    if (digit) return digit[1];
    if (event.code === "Slash") return event.shiftKey ? "?" : "/";
    return event.key;
  }

  function go(key) {
    going = false;
    const link = document.querySelector(`[data-go="${CSS.escape(key)}"]`);
    if (link) link.click();
  }

  document.addEventListener("keydown", (event) => {
    const everywhere = document.querySelector("[data-find]");
    if (everywhere && (event.ctrlKey || event.metaKey) && event.code === "KeyK") {
      event.preventDefault();
      everywhere.focus();
      everywhere.select();
      return;
    }
    const field = event.target.closest("input, textarea, select, dialog[open]");
    if (field && event.key === "Escape" && field.tagName !== "DIALOG") field.blur();
    if (field || event.ctrlKey || event.metaKey || event.altKey) return;
    // A browser leaves the focus on a button of a dialog for a moment after it was closed.
    const button = event.target.closest("dialog:not([open])") ? null : event.target.closest("a, button, summary");
    if ((event.key === "Enter" || event.key === " ") && button) return;
    if (event.key === " " && !part("details:not(.reasons)")) return; // a page turns as it always does
    const key = keyOf(event);
    if (event.repeat && ONCE.has(key)) return; // a key held down decides once
    if (going) { event.preventDefault(); go(key); return; }
    if (key === "g") { going = true; setTimeout(() => { going = false; }, 1000); return; }
    const act = keys[key];
    if (act) { event.preventDefault(); act(); }
  });

  document.addEventListener("change", (event) => {
    if (!event.target.matches("[data-all]")) return;
    const boxes = event.target.closest("form").querySelectorAll('tbody input[type="checkbox"]');
    boxes.forEach((box) => { box.checked = event.target.checked; });
  });

  // What is done to many is there as soon as something is ticked.
  function showBulk() {
    const bar = document.querySelector("[data-bulk]");
    if (!bar) return;
    const ticked = bar.form.querySelectorAll('tbody input[type="checkbox"]:checked').length;
    bar.hidden = !ticked && bar.form.elements.scope.value !== "matching";
    bar.querySelector("[data-ticked]").textContent = ticked ? String(ticked) : "";
  }
  document.addEventListener("change", showBulk);
  addEventListener("pageshow", showBulk);

  // The next row is there at once; the answer comes while the person reads it.
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.target.closest("#desk")) busy = true;
    const row = event.target.closest("[data-row]");
    if (!row || !event.target.matches("[data-act]")) return;
    if (document.activeElement && row.contains(document.activeElement)) document.activeElement.blur();
    if (row === current()) select(following(row));
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    const elt = event.detail.requestConfig.elt; // the event itself comes from the row's parent once it is swapped
    busy = false;
    const verb = elt.matches("[data-undo]") && event.detail.successful && elt.elements.verb;
    if (verb && verb.value === "reopen") countUp();
    if (!elt.matches("[data-act]")) return;
    if (event.detail.successful) {
      document.getElementById("notices").replaceChildren();
      countDown();
    }
    if (event.detail.xhr && event.detail.xhr.status) saved(elt);
    else notSaved(elt);
  });

  function countUp() {
    const count = document.querySelector("[data-count]");
    if (count && /^\d+$/.test(count.textContent)) count.textContent = String(Number(count.textContent) + 1);
  }

  function countDown() {
    const count = document.querySelector("[data-count]");
    const left = count ? Number(count.textContent) : NaN; // a count that stopped at its bound stays
    if (left > 0) count.textContent = String(left - 1);
  }

  // --- decisions that did not arrive: kept with what was typed, and sent again
  const unsaved = new Map(); // row to the form that waits

  function saved(form) {
    const row = form.closest("[data-row], #desk");
    unsaved.delete(row);
    if (row) row.querySelectorAll("[data-unsaved]").forEach((note) => note.remove());
  }

  function notSaved(form) {
    const row = form.closest("[data-row], #desk");
    if (!row || unsaved.has(row)) return;
    unsaved.set(row, form);
    const note = document.createElement("p");
    note.className = "notice bad";
    note.dataset.unsaved = "";
    note.setAttribute("role", "alert");
    note.append("Not saved: no connection. It is tried again. ");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Try now";
    button.addEventListener("click", sendAgain);
    note.append(button);
    row.querySelector(".what").prepend(note);
  }

  function sendAgain() {
    [...unsaved].forEach(([row, form]) => {
      unsaved.delete(row);
      row.querySelectorAll("[data-unsaved]").forEach((note) => note.remove());
      if (form.isConnected) form.requestSubmit(form.querySelector("button"));
    });
  }
  addEventListener("online", sendAgain);
  setInterval(sendAgain, 5000);
  addEventListener("beforeunload", (event) => { if (unsaved.size) event.preventDefault(); });

  // --- live parts leave whoever is in them alone
  document.addEventListener("htmx:beforeSwap", (event) => {
    const target = event.detail.target;
    const isLive = (target.getAttribute("hx-trigger") || "").startsWith("every");
    if (isLive && target.contains(document.activeElement)) event.detail.shouldSwap = false;
  });

  // --- the place in a list, for coming back to it
  const PLACE = `place ${location.pathname}${location.search}`;

  function keepPlace() {
    if (current()) sessionStorage.setItem(PLACE, current().dataset.open);
  }

  function findPlace(tries) {
    const open = sessionStorage.getItem(PLACE);
    const row = rows().find((each) => each.dataset.open === open);
    const more = document.querySelector(".more a");
    if (row || tries === 0 || !more) { select(row || (document.querySelector(".queue") && rows()[0]) || null); return; }
    document.addEventListener("htmx:afterSettle", () => findPlace(tries - 1), { once: true });
    more.dispatchEvent(new Event("more"));
  }

  function cameBack() {
    const [visit] = performance.getEntriesByType("navigation");
    return visit && visit.type === "back_forward" && sessionStorage.getItem(PLACE) !== null;
  }
  addEventListener("pagehide", keepPlace);

  // --- charts
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  // Steps of an axis that counts whole things.
  const COUNTS = [0, 1, 2, 3, 4, 5, 6, 7, 8].flatMap((zeros) => [1, 2, 5].map((one) => one * 10 ** zeros));

  function draw(box) {
    const data = JSON.parse(box.dataset.chart);
    const names = Object.keys(data.series);
    const times = data.times.map((text) => Date.parse(text.replace(" ", "T") + (text.length > 10 ? ":00Z" : "T00:00:00Z")) / 1000);
    const colour = (name, place) => style(name === "errors" ? "--bad" : ["--accent", "--focus"][place]);
    const two = (number) => String(number).padStart(2, "0");
    const shown = (seconds) => {
      const at = new Date(seconds * 1000);
      if (data.times[0].length > 10) return `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}`;
      return `${two(at.getUTCMonth() + 1)}-${two(at.getUTCDate())}`;
    };
    const axis = { stroke: style("--dim"), grid: { stroke: style("--line"), width: 1 }, ticks: { stroke: style("--line"), width: 1 } };
    const series = names.map((name, place) => ({
      label: name, stroke: colour(name, place), width: 2, points: { show: times.length < 40, size: 5 },
      value: (_, count) => (count == null ? "" : count.toLocaleString("en")),
    }));
    box.replaceChildren();
    new uPlot({
      width: box.clientWidth, height: 190, tzDate: (ts) => uPlot.tzDate(new Date(ts * 1000), "Etc/UTC"),
      series: [{ label: "UTC", value: (_, at) => (at == null ? "" : new Date(at * 1000).toISOString().slice(0, 16).replace("T", " ")) }, ...series],
      axes: [{ ...axis, values: (_, ticks) => ticks.map(shown) }, { ...axis, size: 56, incrs: COUNTS }], scales: { y: { range: (_, low, high) => [0, Math.max(high, 1) * 1.05] } },
      cursor: { drag: { x: false, y: false } },
    }, [times, ...names.map((name) => data.series[name])], box);
  }

  function drawAll() {
    if (typeof uPlot !== "undefined") document.querySelectorAll("[data-chart]").forEach(draw);
  }

  // The text of a chosen file goes where people type it.
  document.addEventListener("change", async ({ target }) => {
    const into = target.dataset && target.dataset.into && document.getElementById(target.dataset.into);
    if (into && target.files[0]) into.value = await target.files[0].text();
  });

  function begin() {
    const auto = document.querySelector("form[data-auto]");
    if (auto) setTimeout(() => auto.requestSubmit(), 300); // time to stop
    const here = document.querySelector(".top nav [aria-current]");
    if (here) here.parentElement.scrollLeft = here.offsetLeft - here.parentElement.clientWidth / 2;
    drawAll();
    showBulk();
    if (cameBack()) findPlace(20);
    else if (document.querySelector(".queue")) select(rows()[0] || null);
    let wait = 0;
    addEventListener("resize", () => { clearTimeout(wait); wait = setTimeout(drawAll, 150); });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
})();
