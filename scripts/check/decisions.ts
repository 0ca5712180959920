/** The shape of the pages in docs/decisions/, and the list of them in its README. */
import { basename } from "node:path";
import type { Finding, SourceFile } from "./finding.ts";

/** The parts of a page, in their order. The first two are required. */
const parts = ["Context", "Decision", "Alternatives", "Consequences"];

const shapeOf = ({ path, text }: SourceFile): ReadonlyArray<string> => {
  const found = [...text.matchAll(/^\*\*(\w+)\.\*\*/gm)].map(([, part = ""]) => part);
  const known = found.filter((part) => parts.includes(part));
  const number = Number(basename(path).slice(0, 4));
  return [
    ...(text.startsWith(`# ${number}. `) ? [] : [`The title begins with "# ${number}. ".`]),
    ...(text.split("\n")[2]?.startsWith("**Context.**") === true && known[1] === "Decision"
      ? []
      : ['The page begins with "**Context.**", and "**Decision.**" follows.']),
    ...(known.join() === parts.filter((part) => known.includes(part)).join()
      ? []
      : [`The parts are in the order ${parts.join(", ")}, each once.`]),
  ];
};

/** Pages that differ from the shape, and pages without a row with their number, question and title. */
export const decisionFindings = (
  list: SourceFile,
  pages: ReadonlyArray<SourceFile>,
): ReadonlyArray<Finding> => {
  const rows = [...list.text.matchAll(/^\| (\d+) +\| (\S.*?\?) +\| (\[.*\]\(\S+\)) +\|$/gm)].map(
    ([, number = "", , link = ""]) => `${number} ${link}`,
  );
  const wanted = pages.map(({ path, text }) => {
    const [number = "", title = ""] = (text.split("\n")[0] ?? "").slice(2).split(/\. (.*)/);
    return `${number} [${title}](${basename(path)})`;
  });
  const finding = (file: string) => (message: string) => ({ file, line: 1, message });
  return [
    ...pages.flatMap((page) => shapeOf(page).map(finding(page.path))),
    ...wanted
      .filter((row) => !rows.includes(row))
      .map((row) => `There is no row with a question for ${row}.`)
      .map(finding(list.path)),
    ...rows
      .filter((row) => !wanted.includes(row))
      .map((row) => `No page has this number and title: ${row}.`)
      .map(finding(list.path)),
  ];
};
