// The experiment in the address, behind the #: compressed where the browser can, bounded in both directions.
//
//   #1.…  base64url of deflated JSON        #0.…  base64url of JSON

/** A longer link is cut by chat programs and forums. */
const LINK_CHARS_MAX = 16000;
/** What a link unpacks to: a scenario file has at most as much. */
const STATE_BYTES_MAX = 1 << 20;

/** Returns the fragment of a state; null when it is too large for a link. */
export async function toFragment(state) {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  const isPacked = "CompressionStream" in globalThis;
  const body = isPacked ? await through(new CompressionStream("deflate-raw"), bytes, Infinity) : bytes;
  const fragment = `${isPacked ? 1 : 0}.${base64url(body)}`;
  return fragment.length <= LINK_CHARS_MAX ? fragment : null;
}

/** Returns the state of a fragment; null when it is none. */
export async function fromFragment(fragment) {
  const found = /^#?([01])\.([A-Za-z0-9_-]+)$/.exec(fragment);
  if (!found || fragment.length > LINK_CHARS_MAX + 1) return null;
  try {
    const packed = bytesOf(found[2]);
    const bytes =
      found[1] === "1" ? await through(new DecompressionStream("deflate-raw"), packed, STATE_BYTES_MAX) : packed;
    const state = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return typeof state === "object" && state !== null ? state : null;
  } catch {
    return null;
  }
}

async function through(stream, bytes, most) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new Error("too large");
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function base64url(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function bytesOf(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (character) => character.charCodeAt(0));
}
