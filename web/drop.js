// What is dropped on a page: a scenario file, files of a machine, or text.

/** Takes what is dropped anywhere: a scenario file is opened, all else is of a machine. */
export function dropping({ scenario, files: take, text: read }) {
  const mark = (isOver) => document.body.classList.toggle("dropping", isOver);
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    mark(true);
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) mark(false);
  });
  document.addEventListener("drop", async (event) => {
    event.preventDefault();
    mark(false);
    // The text is gone once something was waited for.
    const text = event.dataTransfer.getData("text/plain");
    const files = await dropped(event.dataTransfer);
    if (files.length === 1 && files[0].name.endsWith(".toml")) scenario(files[0]);
    else if (files.length > 0) take(files);
    else if (text) read(text);
  });
}

/** Returns dropped files, those of dropped folders with their paths. */
async function dropped(transfer) {
  /** As many as are read at all; a folder may hold a whole disk. */
  const most = 2001;
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry);
  if (entries.length === 0) return [...transfer.files];
  const files = [];
  const walk = async (entry, path) => {
    if (files.length >= most) return;
    if (entry.isFile) {
      const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
      files.push(path ? renamed(file, `${path}${entry.name}`) : file);
      return;
    }
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (some.length === 0) break;
      for (const inner of some) await walk(inner, `${path}${entry.name}/`);
    }
  };
  for (const entry of entries) await walk(entry, "");
  return files;
}

function renamed(file, path) {
  return { name: path, size: file.size, arrayBuffer: () => file.arrayBuffer(), text: () => file.text() };
}
