import { crc32, deflateRawSync } from "node:zlib";

/** A file of a ZIP: its name and its text. */
type ZipFile = readonly [name: string, text: string];

/** A number in little-endian bytes. */
const bytesOf = (value: number, count: 2 | 4): Buffer => {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value >>> 0);
  return buffer.subarray(0, count);
};

/** A ZIP of files; `lie` changes the size that the directory names for one. */
export const testZip = (
  files: ReadonlyArray<ZipFile>,
  lie = (_name: string, size: number): number => size,
): Buffer => {
  const [parts, directory]: [Array<Buffer>, Array<Buffer>] = [[], []];
  let offset = 0;
  for (const [name, text] of files) {
    const [plain, packed] = [Buffer.from(text), deflateRawSync(text)];
    const head = [
      [20, 0, 8, 0, 0].map((value) => bytesOf(value, 2)),
      [crc32(plain), packed.length, lie(name, plain.length)].map((value) => bytesOf(value, 4)),
      [name.length, 0].map((value) => bytesOf(value, 2)),
    ].flat();
    const local = Buffer.concat([bytesOf(0x04034b50, 4), ...head, Buffer.from(name), packed]);
    const rest = [bytesOf(0, 2), bytesOf(0, 2), bytesOf(0, 2), bytesOf(0, 4), bytesOf(offset, 4)];
    directory.push(
      Buffer.concat([bytesOf(0x02014b50, 4), bytesOf(20, 2), ...head, ...rest, Buffer.from(name)]),
    );
    parts.push(local);
    offset += local.length;
  }
  const entries = Buffer.concat(directory);
  const count = bytesOf(files.length, 2);
  const end = [bytesOf(0x06054b50, 4), bytesOf(0, 4), count, count, bytesOf(entries.length, 4)];
  return Buffer.concat([...parts, entries, ...end, bytesOf(offset, 4), bytesOf(0, 2)]);
};

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

const cell = (value: string | number, reference: string, strings: Array<string>): string => {
  if (typeof value === "number") return `<c r="${reference}"><v>${value}</v></c>`;
  return `<c r="${reference}" t="s"><v>${strings.push(value) - 1}</v></c>`;
};

const types = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

const relations = (...targets: ReadonlyArray<readonly [id: string, type: string, target: string]>): string =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="${types}/${type}" Target="${target}"/>`)
    .join("")}</Relationships>`;

/** The files of a workbook around its first sheet, which is the second one in the ZIP. */
export const packedWorkbook = (sheet: string, shared: string, styles = "<styleSheet/>"): Buffer =>
  testZip([
    ["[Content_Types].xml", "<Types/>"],
    ["_rels/.rels", relations(["rId1", "officeDocument", "xl/workbook.xml"])],
    [
      "xl/workbook.xml",
      '<workbook><sheets><sheet name="Stores" sheetId="2" r:id="rId7"/>' +
        '<sheet name="Other" sheetId="1" r:id="rId1"/></sheets></workbook>',
    ],
    [
      "xl/_rels/workbook.xml.rels",
      relations(
        ["rId1", "worksheet", "worksheets/sheet1.xml"],
        ["rId7", "worksheet", "worksheets/stores.xml"],
        ["rId8", "sharedStrings", "sharedStrings.xml"],
        ["rId9", "styles", "styles.xml"],
      ),
    ],
    ["xl/worksheets/sheet1.xml", "<worksheet><sheetData/></worksheet>"],
    ["xl/worksheets/stores.xml", sheet],
    ["xl/sharedStrings.xml", shared],
    ["xl/styles.xml", styles],
  ]);

/** A sheet of rows of XML. */
export const sheetOf = (rows: string): string => `<worksheet><sheetData>${rows}</sheetData></worksheet>`;

/** A workbook with one sheet. Rows without cells, and empty texts, are left out, as spreadsheets do. */
export const testWorkbook = (rows: ReadonlyArray<ReadonlyArray<string | number>>): Buffer => {
  const strings: Array<string> = [];
  const sheet = rows.flatMap((cells, row) => {
    const xml = cells.flatMap((value, column) =>
      value === "" ? [] : [cell(value, `${String.fromCharCode(65 + column)}${row + 1}`, strings)],
    );
    return xml.length === 0 ? [] : [`<row r="${row + 1}">${xml.join("")}</row>`];
  });
  const shared = strings.map((text) => `<si><t>${escaped(text)}</t></si>`).join("");
  return packedWorkbook(sheetOf(sheet.join("")), `<sst>${shared}</sst>`);
};
