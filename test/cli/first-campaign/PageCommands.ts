import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The root of the project, in which the commands of its pages run. */
export const projectRoot = join(import.meta.dirname, "../../..");

/** The blocks of shell commands of a page below a heading, without their indentation, in order. */
export const shellBlocks = (page: string, heading: string): ReadonlyArray<string> => {
  const [, ...below] = readFileSync(join(projectRoot, page), "utf8").split(`${heading}\n`);
  const section = below.join(`${heading}\n`).split(heading.startsWith("## ") ? "\n## " : "\n# ")[0] ?? "";
  return [...section.matchAll(/^( *)```sh\n([^]*?)^ *```$/gm)].map(([, indent = "", text = ""]) =>
    text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  );
};
