/** How the demo speaks: chapters, requests as curl would send them, answers, and tables. */
import { Console, type Effect } from "effect";

const width = 100;

/** Lines of at most `width` characters, broken between words. */
const wrapped = (text: string): ReadonlyArray<string> => {
  const lines: Array<string> = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = "";
    }
    line += line === "" ? word : ` ${word}`;
  }
  return [...lines, line];
};

/** JSON on one line, or each of its members on one where that is too long. */
const shown = (value: unknown): string => {
  const line = JSON.stringify(value);
  if (line.length <= width - 8 || typeof value !== "object" || value === null) return line;
  const members = Array.isArray(value)
    ? value.map((each) => JSON.stringify(each))
    : Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${JSON.stringify(each)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return [open, ...members.map((each, at) => `  ${each}${at < members.length - 1 ? "," : ""}`), close].join(
    "\n",
  );
};

/** Puts `first` before the first line and as many blanks before the others. */
const indented = (text: string, first: string): string =>
  first + text.split("\n").join(`\n${" ".repeat(first.length)}`);

/** A request in the words of curl; `base` and `credential` are names of shell variables that were told before. */
export interface ToldRequest {
  readonly method: string;
  readonly base: string;
  readonly path: string;
  readonly credential: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or the name of the file that is sent. */
  readonly body?: unknown;
  readonly file?: string | undefined;
}

const curl = (request: ToldRequest): string => {
  const address = `$${request.base}${request.path}`;
  const parts = [
    `curl${request.method === "GET" ? "" : ` -X ${request.method}`} ${/[?&]/.test(address) ? `"${address}"` : address}`,
    `-H "Authorization: Bearer $${request.credential}"`,
    ...Object.entries(request.headers ?? {}).map(([name, value]) => `-H "${name}: ${value}"`),
    ...(request.file === undefined ? [] : [`--data-binary @${request.file}`]),
    ...(request.body === undefined ? [] : [`--json '${JSON.stringify(request.body)}'`]),
  ];
  const lines: Array<string> = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + part.length < width - 8)
      lines[lines.length - 1] = `${last} ${part}`;
    else lines.push(lines.length === 0 ? part : `  ${part}`);
  }
  return lines.join(" \\\n");
};

/** Prints the story for a person, `width` characters wide; bold only where a terminal shows it. */
export class Narrator {
  #chapters = 0;
  readonly #isRich: boolean;

  constructor(isRich: boolean) {
    this.#isRich = isRich;
  }

  /** A numbered heading, and what the chapter is about. */
  chapter(title: string, about: string): Effect.Effect<void> {
    const heading = `${++this.#chapters}. ${title}`;
    return Console.log(
      ["", this.#isRich ? `\x1b[1m${heading}\x1b[0m` : heading, "", ...wrapped(about)].join("\n"),
    );
  }

  /** A remark between requests. */
  say(text: string): Effect.Effect<void> {
    return Console.log(`\n${wrapped(text).join("\n")}`);
  }

  /** The shell variables that the requests from here on use. */
  variables(all: ReadonlyArray<{ readonly name: string; readonly value: string }>): Effect.Effect<void> {
    return Console.log(["", ...all.map(({ name, value }) => `  ${name}=${value}`)].join("\n"));
  }

  /** The request that was sent, and the essential part of its answer. */
  exchange(request: ToldRequest, status: number, essence: unknown): Effect.Effect<void> {
    const answer = essence === undefined ? "" : shown(essence);
    return Console.log(`\n${indented(curl(request), "  $ ")}\n${indented(answer, `  ${status} `)}`);
  }

  /** Columns as wide as what they hold; numbers to the right. */
  table(
    header: ReadonlyArray<string>,
    rows: ReadonlyArray<ReadonlyArray<string | number>>,
  ): Effect.Effect<void> {
    const widths = header.map((name, at) =>
      Math.max(name.length, ...rows.map((row) => String(row[at] ?? "").length)),
    );
    const line = (cells: ReadonlyArray<string | number>): string =>
      `  ${cells
        .map((cell, at) =>
          typeof cell === "number" ? String(cell).padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0),
        )
        .join("   ")
        .trimEnd()}`;
    return Console.log(
      ["", line(header), line(widths.map((each) => "─".repeat(each))), ...rows.map(line)].join("\n"),
    );
  }
}
