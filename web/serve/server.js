// What is asked of the server: answers, lines as they come, and events with a connection that mends itself.

/** A browser that waits longer than this asks again; the server answers from what it has. */
const AGAIN_MS = 1000;
const AGAIN_MS_MAX = 10_000;

/** Asks for something; rejects with {message, hint}. */
export const get = (path, signal) => ask(path, { signal });

/** Sends something, with the header that only a page of this server can send. */
export const post = (path, body) => ask(path, posted(body));

const posted = (body) => {
  const isRaw = body instanceof Blob;
  const type = isRaw ? "application/octet-stream" : "application/json";
  return { method: "POST", headers: { "content-type": type, "x-arcwright": "1" }, body: isRaw ? body : JSON.stringify(body) };
};

async function ask(path, options) {
  const response = await asked(path, options);
  const answer = await response.json();
  // What is there in a moment is no mistake.
  if (answer.waiting) throw { isWaiting: true, message: answer.waiting };
  return answer;
}

async function asked(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw { message: "The server does not answer.", hint: "The page tries again by itself." };
  }
  if (response.ok) return response;
  // The server was started anew, or the cookie is too old: the form for the token is at the same place.
  if (response.status === 401 && path !== "/api/login") location.reload();
  const text = await response.text();
  throw { status: response.status, ...told(text) };
}

function told(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { message: text.trim() };
  }
}

/** Sends something, or bytes as they are, whose answer comes in lines of JSON; `hear` gets each. */
export async function lines(path, body, hear, signal) {
  const response = await asked(path, { ...posted(body), signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    rest += value ?? "";
    const whole = rest.split("\n");
    rest = whole.pop();
    for (const line of whole) if (line) hear(JSON.parse(line));
    if (done) return;
  }
}

/**
 * Listens to events of the server. `opened` is called with each connection, also one that was mended; `lost` when one
 * breaks; `point` and `findings` with what comes.
 */
export function listen({ opened, lost, point, findings }) {
  let source = null;
  let wait = AGAIN_MS;
  let timer = 0;
  const begin = () => {
    source = new EventSource("/api/live");
    source.addEventListener("open", () => {
      wait = AGAIN_MS;
      opened();
    });
    source.addEventListener("point", ({ data }) => point(JSON.parse(data)));
    source.addEventListener("findings", () => findings());
    source.addEventListener("error", () => {
      lost();
      // Some errors a browser takes as final; none of them is.
      source.close();
      clearTimeout(timer);
      timer = setTimeout(begin, wait);
      wait = Math.min(wait * 1.5, AGAIN_MS_MAX);
    });
  };
  begin();
  addEventListener("online", () => {
    if (source.readyState === EventSource.OPEN) return;
    clearTimeout(timer);
    source.close();
    begin();
  });
}
