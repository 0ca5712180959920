/** The page of all figures, and the figures within other pages, from the rows of `docs/benchmarks.json`. */
import type { Bench } from "./Benches.ts";
import { barOf, numberOf, quantityOf, type Row, spreadOf } from "./Figure.ts";
import { maxLoad } from "./Machine.ts";

/** The hash of each path in the commit; null leaves out what depends on it. */
export type Hashes = Readonly<Record<string, string>> | null;

const olderSource = "older source";

/** Whether the source of a figure has changed since it was measured. */
export const isOlder = ({ source }: Row, hashes: Hashes): boolean =>
  hashes !== null && Object.entries(source).some(([path, hash]) => hashes[path] !== hash);

/** The bench of a row. */
export const benchOf = ({ id }: Pick<Row, "id">): string => id.slice(0, id.indexOf("."));

const tableOf = (rows: ReadonlyArray<Row>, machines: ReadonlyArray<string>, hashes: Hashes): string => {
  const lines = rows.map((row) => {
    const { baseline, baselineValue, commit, date, id, load, machine, ratio, unit, value, what } = row;
    const beside = baselineValue === undefined ? "" : `: ${quantityOf(baselineValue, unit)}`;
    const measured = [
      `${date} ${commit} ${"ABCDEFGH"[machines.indexOf(machine)]}`,
      ...(load !== null && load > maxLoad ? [`loaded (${numberOf(load)})`] : []),
      ...(isOlder(row, hashes) ? [olderSource] : []),
    ];
    return [
      `\`${id}\``,
      what,
      ratio === undefined ? "" : numberOf(ratio),
      spreadOf(row),
      barOf(row),
      baseline === undefined ? "" : `${baseline}${beside}`,
      value === null ? "" : quantityOf(value, unit),
      measured.join("; "),
    ];
  });
  const head = ["figure", "what", "ratio", "spread", "bar", "beside", "value", "measured"];
  return [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
};

/** The page with the machines and the tables between `<!-- tables -->` and `<!-- /tables -->`. */
export const pageOf = (
  rows: ReadonlyArray<Row>,
  benches: Readonly<Record<string, Pick<Bench, "subject">>>,
  page: string,
  hashes: Hashes,
): string => {
  const machines = [...new Set(rows.map(({ machine }) => machine))];
  const subjects = Object.groupBy(rows, (row) => benches[benchOf(row)]?.subject ?? "Others");
  const parts = [
    machines.map((machine, at) => `- **${"ABCDEFGH"[at]}**: ${machine}`).join("\n"),
    ...Object.entries(subjects).map(
      ([subject, some = []]) => `## ${subject}\n\n${tableOf(some, machines, hashes)}`,
    ),
  ];
  return page.replace(/(?<=<!-- tables -->\n).*(?=<!-- \/tables -->)/s, () => `\n${parts.join("\n\n")}\n\n`);
};

/**
 * A page with the figures of its blocks, `<!-- figure: id -->…<!-- /figure -->`, or of the ratio after `id ratio`.
 * A comment at the begin of a line would end the paragraph.
 */
export const withFigures = (text: string, rows: ReadonlyArray<Row>, hashes: Hashes): string => {
  if (/^\s*(- )?<!-- figure/m.test(text)) throw new Error("A figure begins a line: put words before it.");
  return text.replaceAll(
    /(<!-- figure: ([\w.-]+)( ratio)? -->).*?(<!-- \/figure -->)/gs,
    (_, begin: string, id: string, isRatio: string | undefined, end: string) => {
      const row = rows.find((each) => each.id === id);
      const value = isRatio === undefined ? row?.value : row?.ratio;
      if (row === undefined || value === undefined || value === null)
        throw new Error(`docs/benchmarks.json has no figure ${id}${isRatio ?? ""}.`);
      const older = isOlder(row, hashes) ? ` (${olderSource})` : "";
      return `${begin}${quantityOf(value, isRatio === undefined ? row.unit : "")}${older}${end}`;
    },
  );
};

/** A page without the marks of older source and the widths of tables, which change with them. */
export const unmarked = (page: string): string =>
  page
    .replaceAll(new RegExp(`; ${olderSource}| \\(${olderSource}\\)`, "g"), "")
    .replaceAll(/ {2,}|-{3,}/g, ([first = ""]) => first);

/** The rows after a run: those of its benches are replaced, in the order of the benches. */
export const replaced = (
  rows: ReadonlyArray<Row>,
  bench: string,
  measured: ReadonlyArray<Row>,
  order: ReadonlyArray<string>,
): ReadonlyArray<Row> =>
  [...rows.filter((row) => benchOf(row) !== bench), ...measured].toSorted(
    (a, b) => order.indexOf(benchOf(a)) - order.indexOf(benchOf(b)),
  );
