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

  function approve() {
    const form = current() && current().querySelector('[data-act="approve"]');
    if (form) form.requestSubmit(form.querySelector("button"));
  }

  function reject() {
    const field = current() && current().querySelector('[data-act="reject"] input[name="reason"]');
    if (field) field.focus();
  }

  function tick() {
    const box = current() && current().querySelector('input[type="checkbox"]');
    if (box) box.click();
  }

  function open() {
    if (current()) location.assign(current().dataset.open);
  }

  function nextPage() {
    const link = document.querySelector("a.next");
    if (link) link.click();
  }

  function search() {
    const field = document.querySelector("[data-search]");
    if (field) field.focus();
    else location.assign("/domains");
  }

  function help() {
    const dialog = document.getElementById("keys");
    if (dialog && !dialog.open) dialog.showModal();
  }

  const keys = {
    j: () => move(1), k: () => move(-1), o: open, Enter: open, a: approve, r: reject, x: tick,
    n: nextPage, "/": search, "?": help,
  };
  let going = false;

  function go(key) {
    going = false;
    const link = document.querySelector(`[data-go="${CSS.escape(key)}"]`);
    if (link) link.click();
  }

  document.addEventListener("keydown", (event) => {
    const field = event.target.closest("input, textarea, select, dialog");
    if (field && event.key === "Escape" && field.tagName !== "DIALOG") field.blur();
    if (field || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" && event.target !== document.body) return;
    if (going) { event.preventDefault(); go(event.key); return; }
    if (event.key === "g") { going = true; setTimeout(() => { going = false; }, 1000); return; }
    const act = keys[event.key];
    if (act) { event.preventDefault(); act(); }
  });

  document.addEventListener("change", (event) => {
    if (!event.target.matches("[data-all]")) return;
    const boxes = event.target.closest("form").querySelectorAll('tbody input[type="checkbox"]');
    boxes.forEach((box) => { box.checked = event.target.checked; });
  });

  // The next row is there at once; the answer comes while the person reads it.
  document.addEventListener("htmx:beforeRequest", (event) => {
    const row = event.target.closest("[data-row]");
    if (!row || !event.target.matches("[data-act]")) return;
    if (document.activeElement && row.contains(document.activeElement)) document.activeElement.blur();
    if (row === current()) select(following(row));
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    const notices = document.getElementById("notices");
    if (event.detail.successful && event.target.matches && event.target.matches("[data-act]")) notices.replaceChildren();
  });

  // --- charts
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

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
    }));
    box.replaceChildren();
    new uPlot({
      width: box.clientWidth, height: 190, tzDate: (ts) => uPlot.tzDate(new Date(ts * 1000), "Etc/UTC"),
      series: [{ label: "UTC", value: "{YYYY}-{MM}-{DD} {HH}:{mm}" }, ...series],
      axes: [{ ...axis, values: (_, ticks) => ticks.map(shown) }, { ...axis, size: 56 }], scales: { y: { range: (_, low, high) => [0, Math.max(high, 1) * 1.05] } },
      cursor: { drag: { x: false, y: false } },
    }, [times, ...names.map((name) => data.series[name])], box);
  }

  function drawAll() {
    if (typeof uPlot !== "undefined") document.querySelectorAll("[data-chart]").forEach(draw);
  }

  function begin() {
    drawAll();
    if (document.querySelector(".queue")) select(rows()[0] || null);
    let wait = 0;
    addEventListener("resize", () => { clearTimeout(wait); wait = setTimeout(drawAll, 150); });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
})();
