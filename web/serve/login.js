// Gives the token once, from the part of the address that browsers send to nobody, or from the form.

import { byId, problem } from "./dom.js";
import { post } from "./server.js";

colours();
const given = new URLSearchParams(location.hash.slice(1)).get("token");
if (given) {
  // Out of the address at once: it would stay in the history.
  history.replaceState(null, "", "/");
  enter(given);
}
byId("login").addEventListener("submit", (event) => {
  event.preventDefault();
  enter(byId("token").value);
});

async function enter(token) {
  byId("problem").replaceChildren();
  try {
    await post("/api/login", { token });
    location.replace("/");
  } catch (error) {
    byId("problem").replaceChildren(problem(error));
    byId("token").focus();
  }
}

function colours() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const paint = () => (document.documentElement.dataset.theme = dark.matches ? "dark" : "light");
  dark.addEventListener("change", paint);
  paint();
}
