import { CliOutput } from "effect/cli";

/** One column of a table: its heading and what stands in it. */
export interface Column<Row> {
  readonly heading: string;
  readonly cell: (row: Row) => string;
}

const gap = 2;
const narrowest = 8;

const width = CliOutput.displayWidth;

/** What a terminal would take as a command of its own does not come through: names are other people's texts. */
const printable = (text: string): string => text.replaceAll(/\p{Cc}/gu, "\u{fffd}");

const segments = new Intl.Segmenter();

const cut = (text: string, room: number): string => {
  if (width(text) <= room) return text;
  let kept = "";
  for (const { segment } of segments.segment(text)) {
    if (width(kept) + width(segment) > room - 1) break;
    kept += segment;
  }
  return `${kept}…`;
};

/** Takes from the widest column until all fit, or none can give more. */
const fit = (widths: ReadonlyArray<number>, room: number): ReadonlyArray<number> => {
  const fitted = [...widths];
  let over = fitted.reduce((sum, each) => sum + each + gap, -gap) - room;
  while (over > 0) {
    const widest = Math.max(...fitted);
    if (widest <= narrowest) break;
    fitted[fitted.indexOf(widest)] = widest - 1;
    over--;
  }
  return fitted;
};

/** The rows as text under their headings, in columns that fit into `room` cells; null for as wide as it takes. */
export const table = <Row>(
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
  room: number | null,
): string => {
  const lines = [
    columns.map(({ heading }) => heading),
    ...rows.map((row) => columns.map(({ cell }) => printable(cell(row)))),
  ];
  const natural = columns.map((_, at) => Math.max(...lines.map((cells) => width(cells[at] ?? ""))));
  const widths = room === null ? natural : fit(natural, room);
  return lines
    .map((cells) =>
      cells
        .map((cell, at) => {
          const text = cut(cell, widths[at] ?? 0);
          return text + " ".repeat(Math.max(0, (widths[at] ?? 0) - width(text)));
        })
        .join(" ".repeat(gap))
        .trimEnd(),
    )
    .join("\n");
};

/** One thing as lines of a name and a value. */
export const details = (entries: ReadonlyArray<readonly [name: string, value: string]>): string => {
  const widest = Math.max(...entries.map(([name]) => width(name)));
  return entries
    .map(([name, value]) => `${name.padEnd(widest)}${" ".repeat(gap)}${printable(value)}`)
    .join("\n");
};
