/** How the demo speaks: chapters, requests as curl would send them, answers, and tables. */
import { Console, type Effect } from "effect";

const width = 100;

/** Puts as many pieces on each line as fit into `most` characters, with a blank between them. */
const filled = (pieces: ReadonlyArray<string>, most: number): ReadonlyArray<string> => {
  const lines: Array<string> = [];
  for (const piece of pieces) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + piece.length <= most)
      lines[lines.length - 1] = `${last} ${piece}`;
    else lines.push(piece);
  }
  return lines;
};

const wrapped = (text: string): ReadonlyArray<string> => filled(text.split(/\s+/), width);

const isPlain = (value: unknown): boolean => typeof value !== "object" || value === null;

/** JSON on one line where it fits into `room` characters, else with its members on lines of their own. */
const shown = (value: unknown, room: number): string => {
  const line = JSON.stringify(value);
  if (line.length <= room || typeof value !== "object" || value === null) return line;
  if (Array.isArray(value)) {
    // Plain items share lines; each object has its own.
    const items = value.map((item) => shown(item, room - 3));
    const commas = items.map((item, at) => (at < items.length - 1 ? `${item},` : item));
    const lines = value.every(isPlain) ? filled(commas, room - 2) : commas;
    return `[\n${indented(lines.join("\n"), "  ")}\n]`;
  }
  const members = Object.entries(value).map(([name, member]) => {
    const label = `${JSON.stringify(name)}: `;
    return label + shown(member, room - 3 - label.length);
  });
  return `{\n${indented(members.join(",\n"), "  ")}\n}`;
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
  /** The name of a file that is sent as a form. */
  readonly upload?: string | undefined;
}

const curl = (request: ToldRequest): string => {
  const address = `$${request.base}${request.path}`;
  const parts = [
    `curl${request.method === "GET" ? "" : ` -X ${request.method}`} ${/[?&]/.test(address) ? `"${address}"` : address}`,
    `-H "Authorization: Bearer $${request.credential}"`,
    ...Object.entries(request.headers ?? {}).map(([name, value]) => `-H "${name}: ${value}"`),
    ...(request.file === undefined ? [] : [`--data-binary @${request.file}`]),
    ...(request.upload === undefined ? [] : [`-F file=@${request.upload}`]),
    ...(request.body === undefined ? [] : [`--json '${shown(request.body, width - 18)}'`]),
  ];
  const lines: Array<string> = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + part.length < width - 8)
      lines[lines.length - 1] = `${last} ${part}`;
    else lines.push(last === undefined ? part : indented(part, "  "));
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
    const answer = essence === undefined ? "" : shown(essence, width - 6);
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
