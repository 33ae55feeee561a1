// Elements made from data. Text only ever becomes text: nothing here takes markup.

/** Returns the element of an id that the page has. */
export const byId = (id) => document.getElementById(id);

/** Makes an element: attributes by name, `class` and `text` among them; children are elements or texts. */
export function make(tag, attributes = {}, children = []) {
  return furnish(document.createElement(tag), attributes, children);
}

/** Makes an element of SVG. */
export function draw(tag, attributes = {}, children = []) {
  return furnish(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function furnish(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "text") element.textContent = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Fills a select with choices of {id, title}. */
export function fill(select, choices) {
  select.append(...choices.map(({ id, title }) => make("option", { value: id, text: title })));
}

/** Offers text as a file. */
export function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** Puts text on the clipboard; false where the browser does not let us. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns a function that calls `action` once nobody has called it for so many milliseconds. */
export function settled(action, milliseconds) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...given), milliseconds);
  };
}

/** Returns an error of the program as a box: what is wrong, where, what helps. */
export function problem(error) {
  if (error.isWaiting) return make("p", { class: "hint", text: `Not yet: ${error.message}.` });
  const place = error.line ? `Line ${error.line}, column ${error.column}: ` : "";
  return make("div", { class: "problem" }, [
    make("p", { text: place + error.message }),
    error.hint ? make("p", { class: "hint", text: `Hint: ${error.hint}` }) : null,
  ]);
}

/** Follows the system's colours until somebody chooses with a button; `painted` draws what does not follow by itself. */
export function colours(button, painted = () => {}) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  const paint = () => {
    const isDark = chosen ?? dark.matches;
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
    button.textContent = isDark ? "Light colours" : "Dark colours";
    painted();
  };
  dark.addEventListener("change", paint);
  button.addEventListener("click", () => {
    chosen = !(chosen ?? dark.matches);
    paint();
  });
  paint();
}
