import { assert, describe, it } from "@effect/vitest";
import { CliOutput } from "effect/cli";
import fc from "fast-check";
import { details, table } from "../../../src/cli/terminal/Table.ts";

const columns = [
  { heading: "ID", cell: (row: readonly [string, string]) => row[0] },
  { heading: "NAME", cell: (row: readonly [string, string]) => row[1] },
];

describe("tables", () => {
  it("a table aligns its columns, whatever the width of the characters (cli.output)", () => {
    assert.strictEqual(
      table(
        columns,
        [
          ["1", "Café"],
          ["22", "東京"],
        ],
        null,
      ),
      ["ID  NAME", "1   Café", "22  東京"].join("\n"),
    );
    assert.strictEqual(
      details([
        ["id", "1"],
        ["time zone", "UTC"],
      ]),
      "id         1\ntime zone  UTC",
    );
  });

  it("a table fits the terminal by shortening its widest columns with an ellipsis", () => {
    assert.strictEqual(
      table(columns, [["1", "A name that is quite long"]], 20),
      ["ID  NAME", "1   A name that is …"].join("\n"),
    );
  });

  it("a table shortens prose first, keeps the date of instants, and keeps ids and figures whole", () => {
    const rows = [
      {
        id: "0198f1c2-0000-7000-8000-000000000001",
        name: "A long name",
        at: "2026-11-21T12:00:00Z",
        n: 1234567,
      },
    ];
    const lines = table(
      [
        { heading: "ID", kind: "id", cell: ({ id }: (typeof rows)[number]) => id },
        { heading: "NAME", cell: ({ name }) => name },
        { heading: "CREATED", kind: "instant", cell: ({ at }: (typeof rows)[number]) => at },
        { heading: "DEVICES", kind: "figure", cell: ({ n }: (typeof rows)[number]) => n },
      ],
      rows,
      70,
    ).split("\n");
    assert.deepStrictEqual(lines, [
      "ID                                    NAME      CREATED        DEVICES",
      "0198f1c2-0000-7000-8000-000000000001  A long …  2026-11-21…  1,234,567",
    ]);
  });

  it("a table never shortens ids and figures, however narrow the terminal (cli.output)", () => {
    const lines = table(
      [
        { heading: "ID", kind: "id", cell: ([id]: readonly [string, string]) => id },
        { heading: "DEVICES", kind: "figure", cell: () => 1_234_567 },
      ],
      [["0198f1c2-0000-7000-8000-000000000001", ""]],
      20,
    ).split("\n");
    assert.strictEqual(lines[1], "0198f1c2-0000-7000-8000-000000000001  1,234,567");
  });

  it("a table is never wider than a terminal that fits its headings", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" })), {
          maxLength: 5,
        }),
        fc.integer({ min: 18, max: 80 }),
        (rows, available) => {
          const lines = table(columns, rows, available).split("\n");
          assert.lengthOf(lines, rows.length + 1);
          for (const line of lines) assert.isAtMost(CliOutput.displayWidth(line), available);
        },
      ),
    );
  });

  it("a table replaces control characters", () => {
    const text = table(columns, [["1", "a\u001b[31mb\nc"]], null);
    assert.notInclude(text, "\u001b");
    assert.lengthOf(text.split("\n"), 2);
  });
});
