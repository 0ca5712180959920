import { assert, describe, it } from "@effect/vitest";
import { BodyRows } from "../../../src/devices/import/BodyRows.ts";

const csv = "installation_id,platform\nö,ios\nb,web";

const readIn = (size: number, bytes: Uint8Array, contentType?: string) => {
  const body = new BodyRows(contentType);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    body.push(bytes.subarray(index * size, (index + 1) * size)),
  );
  return { body, rows: [...pieces.flat(), ...body.end()] };
};

describe("BodyRows", () => {
  it("rows are the same however a body is cut into pieces (Q4.1)", () => {
    const whole = [
      { installation_id: "ö", platform: "ios" },
      { installation_id: "b", platform: "web" },
    ];
    const lines = whole.map((row) => JSON.stringify(row)).join("\n");
    for (const size of [1, 2, 7, 1_000]) {
      assert.deepStrictEqual(readIn(size, Buffer.from(csv)).rows, whole);
      assert.deepStrictEqual(readIn(size, Buffer.from(lines)).rows, whole);
      assert.deepStrictEqual(readIn(size, Buffer.from(csv), "text/csv; charset=utf-8").rows, whole);
    }
  });

  it("what cannot be read ends the rows with its reason, and its bytes are counted (Q4.5)", () => {
    const bytes = Buffer.concat([
      Buffer.from("installation_id\na\n"),
      Buffer.from([0xff]),
      Buffer.from("\nb"),
    ]);
    const { body, rows } = readIn(6, bytes);
    assert.deepStrictEqual(rows, [
      { installation_id: "a" },
      "The row is not UTF-8. Nothing behind it was read.",
    ]);
    assert.isNull(body.problem);
    assert.strictEqual(body.bytes, bytes.length);
  });

  it("a body whose first row cannot be read has a problem (Q4.5)", () => {
    const { problem } = readIn(100, Buffer.from("platform\nios\n")).body;
    assert.strictEqual(problem, "The first row must name the columns, among them installation_id.");
  });
});
