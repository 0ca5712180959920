/** The map of ARCHITECTURE.md: each question is answered in few files, which exist. */
import { dirname, join } from "node:path/posix";
import type { Finding, SourceFile } from "./finding.ts";

/** The maximum number of files in which a question is answered. */
export const maxAnswerFiles = 4;

/**
 * Rows of the map with no file or too many, with a file that does not exist, or with a name that none of its
 * files has. A path begins in src/, in the root, or in the folder of the path before it. One with … stands
 * for a file of each slice. `textOf` gives the text of a path, of a folder any; undefined if there is none.
 */
export const mapFindings = (
  { path, text }: SourceFile,
  textOf: (path: string) => string | undefined,
): ReadonlyArray<Finding> => {
  const lines = text.split("\n");
  const start = lines.indexOf("## Where is …");
  return lines.flatMap((line, index) => {
    const [, question = "", answer] = /^\| (\S.*?) +\| (`.*) \|$/.exec(line) ?? [];
    const isInMap = index > start && !lines.slice(start + 1, index).some((each) => each.startsWith("## "));
    if (start === -1 || !isInMap || answer === undefined) return [];
    return answerProblems(answer, textOf).map((message) => ({
      file: path,
      line: index + 1,
      message: `${question} ${message}`,
    }));
  });
};

const answerProblems = (
  answer: string,
  textOf: (path: string) => string | undefined,
): ReadonlyArray<string> => {
  const spans = [...answer.matchAll(/`([^`]+)`/g)].map(([, span = ""]) => span);
  const files = spans.filter((span) => /\.tsx?$|\/$/.test(span));
  const problems: Array<string> = [];
  if (files.length === 0 || files.length > maxAnswerFiles)
    problems.push(`The answer names ${files.length} files; it must name 1 to ${maxAnswerFiles}.`);
  const texts: Array<string> = [];
  let folder = "";
  for (const file of files.filter((each) => !each.includes("…"))) {
    const found = [join("src", file), file, join(folder, file)].find((each) => textOf(each) !== undefined);
    if (found === undefined) problems.push(`There is no file ${file}.`);
    else {
      folder = dirname(found);
      texts.push(textOf(found) ?? "");
    }
  }
  for (const name of spans.filter((span) => /^\w+$/.test(span)))
    if (!texts.some((each) => each.includes(name))) problems.push(`None of the files has ${name}.`);
  return problems;
};
