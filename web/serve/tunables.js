// Parameters: what they are, and what a change would do.

import { commands } from "./advice.js";
import { byId, make, problem } from "./dom.js";
import { get, post } from "./server.js";

let rows = [];
let isLoaded = false;

export function begin() {
  byId("tunables-search").addEventListener("input", list);
  byId("tunables-changed").addEventListener("change", list);
  byId("tunables-filter").addEventListener("submit", (event) => event.preventDefault());
  byId("plan-form").addEventListener("submit", (event) => {
    event.preventDefault();
    plan(byId("plan-settings").value);
  });
}

export async function shown(isIt) {
  if (!isIt || isLoaded) return;
  try {
    const page = await get("/api/tunables");
    isLoaded = true;
    rows = page.rows;
    list(page.problems);
  } catch (error) {
    byId("tunables-list").replaceChildren(problem(error));
  }
}

function list(problems = []) {
  const text = byId("tunables-search").value.trim().toLowerCase();
  const isChanged = byId("tunables-changed").checked;
  const isIt = ({ name, about, family, is_default, is_persisted }) =>
    (!isChanged || is_default === false || is_persisted) &&
    [name, about ?? "", family ?? ""].some((part) => part.toLowerCase().includes(text));
  const found = rows.filter(isIt);
  byId("tunables-count").textContent = [`${found.length} of ${rows.length} parameters`, ...(Array.isArray(problems) ? problems : [])].join("; ");
  const head = ["parameter", "now", "default", "from"].map((text) => make("th", { scope: "col", text }));
  const table = make("table", { class: "tunables" }, [
    make("thead", {}, [make("tr", {}, head)]),
    make("tbody", {}, found.map(line)),
  ]);
  byId("tunables-list").replaceChildren(table);
}

function line({ name, current, default: usual, source, is_default }) {
  const button = make("button", { type: "button", class: "link", text: name });
  button.addEventListener("click", () => open(name, current));
  return make("tr", { class: is_default === false ? "changed" : "" }, [
    make("th", { scope: "row" }, [button]),
    make("td", { text: current }),
    make("td", { text: usual }),
    make("td", { class: "left", text: source }),
  ]);
}

async function open(name, current) {
  const settings = byId("plan-settings");
  settings.value = `${name}=`;
  byId("plan-result").replaceChildren();
  const place = byId("tunable-result");
  try {
    const { shown: of, text } = await get(`/api/tunable?name=${encodeURIComponent(name)}`);
    const hazards = of.hazards.map(({ kind, when_set, text }) => make("li", { text: `${when_set ? `set ${when_set}: ` : ""}${kind}: ${text}` }));
    place.replaceChildren(
      make("div", { class: "card" }, [
        make("h2", { text: name }),
        make("p", { text: of.about }),
        hazards.length ? make("ul", { class: "hazards" }, hazards) : null,
        make("pre", { tabindex: "0", role: "region", "aria-label": `All about ${name}`, text }),
      ]),
    );
  } catch (error) {
    place.replaceChildren(problem(error));
  }
  settings.focus();
  settings.setSelectionRange(settings.value.length, settings.value.length);
  settings.placeholder = `${name}=${current}`;
}

async function plan(settings) {
  const place = byId("plan-result");
  try {
    const { now, boot } = await post("/api/plan", { settings });
    place.replaceChildren(part("Now, until the next boot", now), part("For good", boot));
  } catch (error) {
    place.replaceChildren(problem(error));
  }
}

function part(title, { text, problem: wrong, command }) {
  const children = [make("h2", { text: title })];
  if (text) children.push(make("pre", { tabindex: "0", role: "region", "aria-label": title, class: "plan", text }));
  if (wrong) children.push(make("p", { class: "problem", text: wrong }));
  if (command) children.push(make("dl", {}, commands("Run", [command])));
  return make("div", { class: "card" }, children);
}
