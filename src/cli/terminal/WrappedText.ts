import { CliOutput } from "effect/cli";

/** Breaks a text into lines of at most `columns` cells; null for one line of any length. */
export const wrapText = (text: string, columns: number | null): ReadonlyArray<string> => {
  if (columns === null) return [text];
  const width = CliOutput.displayWidth;
  const lines: Array<string> = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && width(line) + 1 + width(word) > columns) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
};
