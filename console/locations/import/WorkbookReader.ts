/** The first sheet of a workbook (.xlsx): a ZIP of XML files, which browsers unpack themselves. */
import { ImportFileBroken } from "../../../src/client/location-files/ImportEntry.ts";

const broken = () =>
  new ImportFileBroken("The workbook is damaged: save it again, or save its table as CSV.");

/** The unpacked text of each file of a ZIP, by its name. */
type Files = (name: string) => Promise<string | undefined>;

const directoryEntry = 0x02014b50;
const endOfDirectory = 0x06054b50;
/** A workbook that unpacks to more is no list of locations. */
const maxTextBytes = 256 * 1_048_576;

const unpacked = async (bytes: Uint8Array<ArrayBuffer>, method: number, size: number): Promise<string> => {
  if (size > maxTextBytes || (method !== 0 && method !== 8)) throw broken();
  const stream = new Blob([bytes]).stream();
  const plain = method === 0 ? stream : stream.pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(plain).text();
};

const filesOf = (bytes: Uint8Array<ArrayBuffer>): Files => {
  const view = new DataView(bytes.buffer);
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== endOfDirectory) end--;
  if (end < 0) throw broken();
  const found = new Map<string, () => Promise<string>>();
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    if (view.getUint32(at, true) !== directoryEntry) throw broken();
    const u16 = (offset: number) => view.getUint16(at + offset, true);
    const u32 = (offset: number) => view.getUint32(at + offset, true);
    const [method, packed, size, local] = [u16(10), u32(20), u32(24), u32(42)];
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + u16(28)));
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    found.set(name, () => unpacked(bytes.slice(start, start + packed), method, size));
    at += 46 + u16(28) + u16(30) + u16(32);
  }
  return async (name) => found.get(name)?.();
};

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

const textOf = (xml: string): string =>
  xml
    .replaceAll(
      /&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi,
      (whole: string, hex?: string, decimal?: string, name: string = "") => {
        const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
        return Number.isNaN(code) ? (entities[name] ?? whole) : String.fromCodePoint(code);
      },
    )
    .replaceAll("_x000D_", "\r");

/** The text of the runs of a cell or a shared string. Readings of Japanese words are left out. */
const runsOf = (xml: string): string =>
  [
    ...xml
      .replaceAll(/<(?:\w+:)?rPh[\s\S]*?<\/(?:\w+:)?rPh>/g, "")
      .matchAll(/<(?:\w+:)?t(?:\s[^>]*)?>([^<]*)</g),
  ]
    .map(([, text = ""]) => textOf(text))
    .join("");

const attribute = (attributes: string, name: string): string | undefined =>
  new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1];

/** The index of a column by its letters: 0 for A, 26 for AA. */
const columnOf = (reference: string): number => {
  const letters = /^[A-Z]*/.exec(reference)?.[0] ?? "";
  return (
    Array.from(letters, (letter) => letter.charCodeAt(0) - 64).reduce((sum, each) => sum * 26 + each, 0) - 1
  );
};

const cellsOf = (row: string, strings: ReadonlyArray<string>): ReadonlyArray<string> => {
  const cells: Array<string> = [];
  for (const [, attributes = "", content = ""] of row.matchAll(
    /<(?:\w+:)?c(\s[^>]*?)?(?:\/>|>([\s\S]*?)<\/(?:\w+:)?c>)/g,
  )) {
    const type = attribute(attributes, "t");
    const value = /<(?:\w+:)?v(?:\s[^>]*)?>([^<]*)</.exec(content)?.[1] ?? "";
    const column = columnOf(attribute(attributes, "r") ?? "");
    const text =
      type === "s" ? strings[Number(value)] : type === "inlineStr" ? runsOf(content) : textOf(value);
    cells[column === -1 ? cells.length : column] = text ?? "";
  }
  return Array.from(cells, (cell) => cell ?? "");
};

/** The path of the first sheet, by the relations of the workbook. */
const firstSheet = async (files: Files): Promise<string | undefined> => {
  const [workbook = "", relations = ""] = [
    await files("xl/workbook.xml"),
    await files("xl/_rels/workbook.xml.rels"),
  ];
  const id = /<(?:\w+:)?sheet\s[^>]*?\w+:id="([^"]*)"/.exec(workbook)?.[1];
  const relation = [...relations.matchAll(/<(?:\w+:)?Relationship(\s[^>]*)>/g)].find(
    ([, attributes = ""]) => attribute(attributes, "Id") === id,
  );
  const target = attribute(relation?.[1] ?? "", "Target") ?? "worksheets/sheet1.xml";
  return files(target.startsWith("/") ? target.slice(1) : `xl/${target}`);
};

/** The rows of the first sheet with the numbers that the spreadsheet shows. @throws ImportFileBroken */
export const readWorkbook = async (
  file: Blob,
): Promise<ReadonlyArray<{ readonly number: number; readonly cells: ReadonlyArray<string> }>> => {
  const files = filesOf(new Uint8Array(await file.arrayBuffer()));
  const [sheet, shared = ""] = [await firstSheet(files), await files("xl/sharedStrings.xml")];
  if (sheet === undefined) throw broken();
  const strings = [...shared.matchAll(/<(?:\w+:)?si(?:\s[^>]*)?(?:\/>|>([\s\S]*?)<\/(?:\w+:)?si>)/g)].map(
    ([, runs = ""]) => runsOf(runs),
  );
  let number = 0;
  return [...sheet.matchAll(/<(?:\w+:)?row(\s[^>]*?)?(?:\/>|>([\s\S]*?)<\/(?:\w+:)?row>)/g)].map(
    ([, attributes = "", cells = ""]) => {
      number = Number(attribute(attributes, "r") ?? number + 1);
      return { number, cells: cellsOf(cells, strings) };
    },
  );
};
