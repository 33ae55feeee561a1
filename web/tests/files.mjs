// A machine of files, from the text form of a capture: what `arcwright serve --root` reads.

import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Writes the files of a capture's last sample below a new folder, its dataset named otherwise; returns the folder. */
export function machineOfFiles(capture, dataset) {
  const root = mkdtempSync(join(tmpdir(), "arcwright-machine-"));
  for (const part of readFileSync(capture, "utf8").split(/^=== /m).slice(1)) {
    const [head, ...lines] = part.split("\n");
    const name = head.replace(/^sample-1\//, "");
    if (!/^(proc|sys|etc)\//.test(name)) continue;
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, lines.filter((line) => line !== "===").join("\n").replaceAll("tank/database", dataset));
  }
  return root;
}
