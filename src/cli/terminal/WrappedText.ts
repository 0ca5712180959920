import { CliOutput } from "effect/cli";

/** Breaks a text at blanks, so that it stands in a column of that many cells; null for as long a line as it is. */
export const wrapped = (text: string, room: number | null): ReadonlyArray<string> => {
  if (room === null) return [text];
  const width = CliOutput.displayWidth;
  const lines: Array<string> = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && width(line) + 1 + width(word) > room) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
};
