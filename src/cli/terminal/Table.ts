import { CliOutput } from "effect/cli";

/** What stands in a column: prose, which is cut first; instants, which keep their date; ids and figures, which are of no use unless whole. */
type Kind = "prose" | "instant" | "id" | "figure";

/** One column of a table: its heading and what stands in it. */
export interface Column<Row> {
  readonly heading: string;
  readonly cell: (row: Row) => string;
  /** Prose if left out. Figures stand to the right. */
  readonly kind?: Kind;
}

const gap = 2;
const whole = Number.POSITIVE_INFINITY;
const date = "YYYY-MM-DD…".length;

/** Cells that a column keeps while others have more to give; where that is still too wide, the next. */
const floors: ReadonlyArray<Readonly<Record<Kind, number>>> = [
  { prose: 8, instant: date, id: whole, figure: whole },
  { prose: 5, instant: 5, id: whole, figure: whole },
  { prose: 5, instant: 5, id: 8, figure: 8 },
];

/** A column of ids. */
export const idColumn = <Row>(heading: string, cell: (row: Row) => string): Column<Row> => ({
  heading,
  cell,
  kind: "id",
});

/** A column of instants to the minute, or a dash for none. */
export const momentColumn = <Row>(heading: string, cell: (row: Row) => string | null): Column<Row> => ({
  heading,
  cell: (row) => moment(cell(row)),
  kind: "instant",
});

/** A column of whole numbers. */
export const figureColumn = <Row>(heading: string, cell: (row: Row) => number): Column<Row> => ({
  heading,
  cell: (row) => cell(row).toLocaleString("en-US"),
  kind: "figure",
});

/** An instant to the minute, or a dash for none. */
export const moment = (instant: string | null): string =>
  instant === null ? "-" : `${instant.slice(0, 16).replace("T", " ")} UTC`;

/** Cells that a text takes; of plain letters as many as they are, which need not be looked up one by one. */
const width = (text: string): number => (/^[ -~]*$/.test(text) ? text.length : CliOutput.displayWidth(text));

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

/** Takes from the widest column that is wider than its floor, until all fit or none can give more. */
const shrink = (widths: ReadonlyArray<number>, least: ReadonlyArray<number>, room: number) => {
  const fitted = [...widths];
  let over = fitted.reduce((sum, each) => sum + each + gap, -gap) - room;
  for (; over > 0; over--) {
    const spare = fitted.map((each, at) => (each > (least[at] ?? 0) ? each : 0));
    const widest = Math.max(...spare);
    if (widest === 0) break;
    fitted[spare.indexOf(widest)] = widest - 1;
  }
  return fitted;
};

/**
 * The rows as text under their headings, in columns that fit into `room` cells; null for as wide as it takes. `heads` gives the line of
 * headings its looks.
 */
export const table = <Row>(
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
  room: number | null,
  heads: (line: string) => string = (line) => line,
): string => {
  const lines = [
    columns.map(({ heading }) => heading),
    ...rows.map((row) => columns.map(({ cell }) => printable(cell(row)))),
  ];
  // Not Math.max(...lines): a call takes only so many arguments, and a report has more rows.
  const natural = columns.map((_, at) =>
    lines.reduce((most, cells) => Math.max(most, width(cells[at] ?? "")), 0),
  );
  const widths =
    room === null
      ? natural
      : floors.reduce<ReadonlyArray<number>>(
          (fitted, floor) =>
            shrink(
              fitted,
              columns.map(({ kind = "prose" }) => floor[kind]),
              room,
            ),
          natural,
        );
  const [headings = "", ...others] = lines.map((cells) =>
    cells
      .map((cell, at) => {
        const text = cut(cell, widths[at] ?? 0);
        const blanks = " ".repeat(Math.max(0, (widths[at] ?? 0) - width(text)));
        return columns[at]?.kind === "figure" ? blanks + text : text + blanks;
      })
      .join(" ".repeat(gap))
      .trimEnd(),
  );
  return [heads(headings), ...others].join("\n");
};

/** One thing as lines of a name and a value. */
export const details = (entries: ReadonlyArray<readonly [name: string, value: string]>): string => {
  const widest = Math.max(...entries.map(([name]) => width(name)));
  return entries
    .map(([name, value]) => `${name.padEnd(widest)}${" ".repeat(gap)}${printable(value)}`)
    .join("\n");
};
