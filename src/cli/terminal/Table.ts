import { CliOutput } from "effect/cli";
import { visible } from "../../wire/VisibleText.ts";
import { formatCount, formatInstant } from "./Formats.ts";

/** The content of a column. Prose is shortened first, then instants. Ids and figures are never shortened. */
export type Kind = "prose" | "instant" | "id" | "figure";

/** A column of a table. */
export interface Column<Row> {
  readonly heading: string;
  /** A number is formatted as a count, an instant to the minute, and null as a dash. */
  readonly cell: (row: Row) => string | number | null;
  /** `prose` if left out. Figures are aligned to the right. */
  readonly kind?: Kind;
}

const gap = 2;
const whole = Number.POSITIVE_INFINITY;
const dateCells = "YYYY-MM-DD…".length;

/**
 * Minimum widths of columns, in cells. If the table is still too wide, the next row applies; after the last
 * one, the table is wider than the terminal.
 */
const minWidths: ReadonlyArray<Readonly<Record<Kind, number>>> = [
  { prose: 8, instant: dateCells, id: whole, figure: whole },
  { prose: 5, instant: 5, id: whole, figure: whole },
];

/** Width of a text in cells. ASCII takes a fast path. */
const width = (text: string): number => (/^[ -~]*$/.test(text) ? text.length : CliOutput.displayWidth(text));

const cellText = <Row>({ cell, kind }: Column<Row>, row: Row): string => {
  const value = cell(row);
  if (typeof value === "number") return formatCount(value);
  return visible(kind === "instant" || value === null ? formatInstant(value) : value);
};

const segments = new Intl.Segmenter();

const shorten = (text: string, cells: number): string => {
  if (width(text) <= cells) return text;
  let kept = "";
  for (const { segment } of segments.segment(text)) {
    if (width(kept) + width(segment) > cells - 1) break;
    kept += segment;
  }
  return `${kept}…`;
};

/** Shrinks the widest shrinkable column cell by cell, until the row fits or no column can shrink. */
const shrink = (widths: ReadonlyArray<number>, minimums: ReadonlyArray<number>, columns: number) => {
  const fitted = [...widths];
  let excess = fitted.reduce((sum, each) => sum + each + gap, -gap) - columns;
  for (; excess > 0; excess--) {
    const shrinkable = fitted.map((each, index) => (each > (minimums[index] ?? 0) ? each : 0));
    const widest = Math.max(...shrinkable);
    if (widest === 0) break;
    fitted[shrinkable.indexOf(widest)] = widest - 1;
  }
  return fitted;
};

/** A table that fits into `available` cells; null for any width. `styleHeadings` styles the headings. */
export const table = <Row>(
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
  available: number | null,
  styleHeadings: (line: string) => string = (line) => line,
): string => {
  const lines = [
    columns.map(({ heading }) => heading),
    ...rows.map((row) => columns.map((column) => cellText(column, row))),
  ];
  // Not Math.max(...lines): a report may have more rows than a call takes arguments.
  const natural = columns.map((_, index) =>
    lines.reduce((max, cells) => Math.max(max, width(cells[index] ?? "")), 0),
  );
  const widths =
    available === null
      ? natural
      : minWidths.reduce<ReadonlyArray<number>>(
          (fitted, minimum) =>
            shrink(
              fitted,
              columns.map(({ kind = "prose" }) => minimum[kind]),
              available,
            ),
          natural,
        );
  const [headings = "", ...others] = lines.map((cells) =>
    cells
      .map((cell, index) => {
        const columnWidth = widths[index] ?? 0;
        const text = shorten(cell, columnWidth);
        const padding = " ".repeat(Math.max(0, columnWidth - width(text)));
        return columns[index]?.kind === "figure" ? padding + text : text + padding;
      })
      .join(" ".repeat(gap))
      .trimEnd(),
  );
  return [styleHeadings(headings), ...others].join("\n");
};

/** One item as lines of a name and a value. */
export const details = (entries: ReadonlyArray<readonly [name: string, value: string]>): string => {
  const nameWidth = Math.max(...entries.map(([name]) => width(name)));
  return entries
    .map(([name, value]) => `${name.padEnd(nameWidth)}${" ".repeat(gap)}${visible(value)}`)
    .join("\n");
};
