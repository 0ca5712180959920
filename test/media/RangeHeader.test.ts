import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import { namesTag } from "../../src/http/EntityTag.ts";
import { allowsRange, readRange } from "../../src/media/RangeHeader.ts";

describe("readRange", () => {
  it("a range is read with both ends, with an open end and as a suffix (RFC 9110, 14.1.2)", () => {
    const inHundred = (header: string) => readRange(header, 100);
    assert.deepStrictEqual(inHundred("bytes=0-0"), { start: 0, end: 0 });
    assert.deepStrictEqual(inHundred("bytes=10-19"), { start: 10, end: 19 });
    assert.deepStrictEqual(inHundred("bytes=90-"), { start: 90, end: 99 });
    assert.deepStrictEqual(inHundred("bytes=90-1000"), { start: 90, end: 99 });
    assert.deepStrictEqual(inHundred("bytes=-10"), { start: 90, end: 99 });
    assert.deepStrictEqual(inHundred("bytes=-1000"), { start: 0, end: 99 });
    assert.deepStrictEqual(inHundred("Bytes= 5-6 , "), { start: 5, end: 6 });
    assert.deepStrictEqual(inHundred(`bytes=1-${"9".repeat(400)}`), { start: 1, end: 99 });
  });

  it("a range past the end of the object is unsatisfiable", () => {
    for (const header of [
      "bytes=100-",
      "bytes=100-200",
      "bytes=-0",
      "bytes=100-,200-300",
      `bytes=${"9".repeat(400)}-`,
    ])
      assert.strictEqual(readRange(header, 100), "none", header);
  });

  it("an invalid range, or several ranges, mean the whole object", () => {
    for (const header of [
      "",
      "bytes",
      "bytes=",
      "bytes=,",
      "bytes=-",
      "bytes=a-b",
      "bytes=5-4",
      "bytes=1-2-3",
      "bytes=--5",
      "bytes=0x1-2",
      "bytes=1.5-2",
      "bytes=+1-2",
      "bytes = 0-1",
      "items=0-1",
      "bytes=0-1,5-6",
      "bytes=0-1,200-",
      `bytes=${"0-1,".repeat(4000)}`,
    ])
      assert.isNull(readRange(header, 100), header);
  });

  it("a range never exceeds the object", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.oneof(
          fc.string().map((text) => `bytes=${text}`),
          fc.tuple(fc.nat(2000), fc.nat(2000)).map(([first, last]) => `bytes=${first}-${last}`),
          fc.nat(2000).map((suffix) => `bytes=-${suffix}`),
        ),
        (bytes, header) => {
          const range = readRange(header, bytes);
          if (range === null || range === "none") return;
          assert.isTrue(range.start >= 0 && range.start <= range.end && range.end < bytes, header);
        },
      ),
    );
  });
});

describe("conditional requests", () => {
  it("If-Range allows a part only with the object's own strong tag", () => {
    assert.isTrue(allowsRange(undefined, '"a"'));
    assert.isTrue(allowsRange('"a"', '"a"'));
    for (const header of ['W/"a"', '"b"', "a", "Sat, 21 Nov 2026 12:00:00 GMT", '"a", "b"'])
      assert.isFalse(allowsRange(header, '"a"'), header);
  });

  it("a tag is found in a list of weak and strong tags, or by a star", () => {
    for (const header of ["*", '"a"', 'W/"a"', '"b", "a"', '"b",W/"a" , "c"'])
      assert.isTrue(namesTag(header, '"a"'), header);
    for (const header of ["", "a", '"b"', '"A"', '"a', '"b*"'])
      assert.isFalse(namesTag(header, '"a"'), header);
  });
});
