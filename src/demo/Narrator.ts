import { Console, type Effect } from "effect";

const width = 100;

/** Joins pieces by spaces into lines of at most `maxWidth` characters. */
const fillLines = (pieces: ReadonlyArray<string>, maxWidth: number): ReadonlyArray<string> => {
  const lines: Array<string> = [];
  for (const piece of pieces) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + piece.length <= maxWidth)
      lines[lines.length - 1] = `${last} ${piece}`;
    else lines.push(piece);
  }
  return lines;
};

const wrap = (text: string): ReadonlyArray<string> => fillLines(text.split(/\s+/), width);

const isPlain = (value: unknown): boolean => typeof value !== "object" || value === null;

/** JSON on one line if it fits into `maxWidth` characters, or else with each member on its own line. */
const formatJson = (value: unknown, maxWidth: number): string => {
  const line = JSON.stringify(value);
  if (line.length <= maxWidth || typeof value !== "object" || value === null) return line;
  if (Array.isArray(value)) {
    const items = value.map((item) => formatJson(item, maxWidth - 3));
    const separated = items.map((item, index) => (index < items.length - 1 ? `${item},` : item));
    // Plain items share lines; each object has its own.
    const lines = value.every(isPlain) ? fillLines(separated, maxWidth - 2) : separated;
    return `[\n${indent(lines.join("\n"), "  ")}\n]`;
  }
  const members = Object.entries(value).map(([name, member]) => {
    const label = `${JSON.stringify(name)}: `;
    return label + formatJson(member, maxWidth - 3 - label.length);
  });
  return `{\n${indent(members.join(",\n"), "  ")}\n}`;
};

/** Puts `first` before the first line, and as many spaces before the other lines. */
const indent = (text: string, first: string): string =>
  first + text.split("\n").join(`\n${" ".repeat(first.length)}`);

/** A request to print. `base` and `credential` are names of shell variables. */
export interface PrintedRequest {
  readonly method: string;
  readonly base: string;
  readonly path: string;
  readonly credential: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** The name of the file that is the body. */
  readonly file?: string | undefined;
  /** The name of a file in a form. */
  readonly upload?: string | undefined;
}

const curlCommand = (request: PrintedRequest): string => {
  const address = `$${request.base}${request.path}`;
  const method = request.method === "GET" ? "" : ` -X ${request.method}`;
  const parts = [
    `curl${method} ${/[?&]/.test(address) ? `"${address}"` : address}`,
    `-H "Authorization: Bearer $${request.credential}"`,
    ...Object.entries(request.headers ?? {}).map(([name, value]) => `-H "${name}: ${value}"`),
    ...(request.file === undefined ? [] : [`--data-binary @${request.file}`]),
    ...(request.upload === undefined ? [] : [`-F file=@${request.upload}`]),
    ...(request.body === undefined ? [] : [`--json '${formatJson(request.body, width - 18)}'`]),
  ];
  const lines: Array<string> = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + part.length < width - 8)
      lines[lines.length - 1] = `${last} ${part}`;
    else lines.push(last === undefined ? part : indent(part, "  "));
  }
  return lines.join(" \\\n");
};

/** Prints the demo for people: chapters, requests as curl commands, responses and tables. */
export class Narrator {
  #chapters = 0;
  readonly #styleHeading: (text: string) => string;

  constructor(styleHeading: (text: string) => string) {
    this.#styleHeading = styleHeading;
  }

  /** A numbered heading and an introduction. */
  chapter(title: string, about: string): Effect.Effect<void> {
    const styled = this.#styleHeading(`${++this.#chapters}. ${title}`);
    return Console.log(["", styled, "", ...wrap(about)].join("\n"));
  }

  /** A sentence between requests. */
  say(text: string): Effect.Effect<void> {
    return Console.log(`\n${wrap(text).join("\n")}`);
  }

  /** Shell variables for the requests that follow. */
  variables(all: ReadonlyArray<{ readonly name: string; readonly value: string }>): Effect.Effect<void> {
    return Console.log(["", ...all.map(({ name, value }) => `  ${name}=${value}`)].join("\n"));
  }

  /** A request, and the given part of its response. */
  exchange(request: PrintedRequest, status: number, part: unknown): Effect.Effect<void> {
    // A text that is no JSON is shown as it is.
    const response =
      typeof part === "string" ? part.trimEnd() : part === undefined ? "" : formatJson(part, width - 6);
    return Console.log(`\n${indent(curlCommand(request), "  $ ")}\n${indent(response, `  ${status} `)}`);
  }

  /** A table. Numbers are aligned to the right. */
  table(
    header: ReadonlyArray<string>,
    rows: ReadonlyArray<ReadonlyArray<string | number>>,
  ): Effect.Effect<void> {
    const widths = header.map((name, index) =>
      Math.max(name.length, ...rows.map((row) => String(row[index] ?? "").length)),
    );
    const line = (cells: ReadonlyArray<string | number>): string =>
      `  ${cells
        .map((cell, index) =>
          typeof cell === "number"
            ? String(cell).padStart(widths[index] ?? 0)
            : cell.padEnd(widths[index] ?? 0),
        )
        .join("   ")
        .trimEnd()}`;
    return Console.log(
      ["", line(header), line(widths.map((each) => "─".repeat(each))), ...rows.map(line)].join("\n"),
    );
  }
}
