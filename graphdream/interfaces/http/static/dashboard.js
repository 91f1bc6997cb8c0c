// What a script adds to pages that work without one: progress as it happens, a question before something is taken back,
// and a button that ticks many boxes.
"use strict";

for (const form of document.querySelectorAll("form[data-ask]")) {
  form.addEventListener("submit", (event) => {
    if (!window.confirm(form.dataset.ask)) event.preventDefault();
  });
}

for (const button of document.querySelectorAll(".tick-all")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const boxes = [...button.closest("fieldset").querySelectorAll("input[type=checkbox]")];
    const tick = boxes.some((box) => !box.checked);
    for (const box of boxes) box.checked = tick;
    button.textContent = tick ? "Untick all shown here" : "Tick all shown here";
  });
}

const place = document.getElementById("progress");
if (place && "EventSource" in window) {
  let running = place.dataset.state === "running";
  const events = new EventSource("/api/dream/events");
  events.addEventListener("progress", (event) => {
    const job = JSON.parse(event.data);
    if (!job) return;
    if (job.state === "running") {
      running = true;
      show(job);
    } else if (running) {
      window.location.reload(); // the page as it is now tells what came of it
    }
  });
  window.addEventListener("pagehide", () => events.close());
}

function show(job) {
  let step = place.querySelector(".step");
  let bar = place.querySelector("progress");
  if (!step || !bar) {
    place.replaceChildren();
    const line = document.createElement("p");
    step = document.createElement("span");
    step.className = "step";
    line.append(step, " …");
    bar = document.createElement("progress");
    bar.setAttribute("aria-label", "Progress of the pass");
    place.append(line, bar);
  }
  const words = job.step.charAt(0).toUpperCase() + job.step.slice(1);
  if (step.textContent !== words) step.textContent = words;
  if (job.total) {
    bar.max = job.total;
    bar.value = job.done;
  } else {
    bar.removeAttribute("value");
  }
}
