import { assert, describe, it } from "@effect/vitest";
import { type ParsedFeature, readFeature } from "../../src/locations/GeoJsonImport.ts";
import { box, pointFeature, polygonFeature } from "./Features.ts";

const accepted = (feature: unknown): ParsedFeature => {
  const read = readFeature(feature);
  if (read._tag === "RejectedFeature") throw new Error(`Rejected: ${read.reasons.join(" ")}`);
  return read;
};

const reasonsOf = (feature: unknown): ReadonlyArray<string> => {
  const read = readFeature(feature);
  return read._tag === "RejectedFeature" ? read.reasons : [];
};

/** Exactly one reason, with these words. */
const assertRejected = (feature: unknown, words: string): void => {
  const reasons = reasonsOf(feature);
  assert.strictEqual(reasons.length, 1, reasons.join("\n"));
  assert.include(reasons[0], words);
};

const ringsOf = (feature: unknown): unknown => accepted(feature).shape.geometry.coordinates;

describe("circles of an import", () => {
  it("a Point with a radius becomes a circle, without its altitude (G2.1)", () => {
    const feature = pointFeature({ external_id: " a1 ", group: "Shops", radius: 250 }, [4.9, 52.37, 12]);
    assert.deepStrictEqual(accepted(feature), {
      _tag: "ParsedFeature",
      name: "Dam",
      externalId: "a1",
      group: "Shops",
      shape: {
        type: "circle",
        geometry: { type: "Point", coordinates: [4.9, 52.37] },
        radiusMeters: 250,
      },
    });
  });

  it("a circle has a radius of 50 to 1000 metres, checked before it is rounded (G3.2, import.3)", () => {
    const radiusOf = (radius: unknown) => accepted(pointFeature({ radius })).shape.radiusMeters;
    assert.strictEqual(radiusOf(50), 50);
    assert.strictEqual(radiusOf(1000), 1000);
    assert.strictEqual(radiusOf(99.5), 100);
    assert.strictEqual(radiusOf(99.4), 99);
    assert.strictEqual(radiusOf(" 250.5 "), 251);
    assert.strictEqual(radiusOf("1e2"), 100);
    for (const radius of [49.9, 1000.1, 20, 0, -100, Infinity, "1000.4", "49.999"]) {
      assertRejected(
        pointFeature({ radius }),
        "The radius must be between 50 and 1000 metres; this feature has ",
      );
    }
    for (const radius of ["wide", "", "0x64", "100 m", "Infinity", true, [100], {}]) {
      assertRejected(pointFeature({ radius }), "The radius must be a number between 50 and 1000 metres");
    }
    for (const radius of [undefined, null])
      assertRejected(pointFeature({ radius }), "A Point needs a radius");
    assert.strictEqual(
      reasonsOf(pointFeature({ radius: 20 }))[0],
      "The radius must be between 50 and 1000 metres; this feature has 20.",
    );
  });

  it("a circle has a centre on earth (G3.3)", () => {
    for (const edge of [[-180, -90], [180, 90], [0, 0]]) accepted(pointFeature({}, edge)); // prettier-ignore
    assertRejected(pointFeature({}, [181, 0]), "longitude 181; it must be a number between -180 and 180");
    assertRejected(pointFeature({}, [52, -90.1]), "latitude -90.1; it must be a number between -90 and 90");
    assertRejected(pointFeature({}, ["4.9", 52]), 'longitude "4.9"');
    assertRejected(pointFeature({}, [4.9, null]), "latitude null");
    assertRejected(pointFeature({}, [0, Infinity]), "latitude a number too large to be read");
    assertRejected(pointFeature({}, [52.37, 104.9]), "perhaps the two are swapped");
    for (const bad of [[], [4.9], "4.9,52", null, {}, 7]) {
      assertRejected(pointFeature({}, bad), "The Point must be an array of a longitude and a latitude");
    }
  });
});

describe("texts of an import", () => {
  it("a number is read as its text, and null or nothing as no external id or group (G3.1)", () => {
    const numbers = accepted(pointFeature({ name: 7, external_id: 12.5, group: -3 }));
    assert.deepStrictEqual([numbers.name, numbers.externalId, numbers.group], ["7", "12.5", "-3"]);
    const none = accepted(pointFeature({ external_id: null }));
    assert.deepStrictEqual([none.externalId, none.group], [null, null]);
  });

  it("a text is trimmed, and its length is counted in code points (B5.1, G3.1)", () => {
    assert.strictEqual(accepted(pointFeature({ name: `\n ${"😀".repeat(255)} ` })).name, "😀".repeat(255));
    assertRejected(
      pointFeature({ name: "😀".repeat(256) }),
      "a text of 1 to 255 characters; this feature's has 256",
    );
  });

  it("a name, external id or group without 1 to 255 characters is rejected (G3.1, import.2)", () => {
    for (const [key, label] of [
      ["name", "name"],
      ["external_id", "external id"],
      ["group", "group name"],
    ]) {
      // prettier-ignore
      const feature = (value: unknown) => pointFeature({ [String(key)]: value });
      assertRejected(
        feature("  "),
        `The ${label} must be a text of 1 to 255 characters; this feature's is empty.`,
      );
      assertRejected(feature("a".repeat(256)), `The ${label} must be`);
      assertRejected(feature("a\0b"), "NUL");
      assertRejected(feature("a\ud800b"), "surrogate");
      assertRejected(feature(true), "this feature has true");
      assertRejected(feature(["a"]), "this feature has an array");
      assertRejected(feature({ a: 1 }), "this feature has an object");
      assertRejected(feature(2 ** 53), "write it in quotes");
      assertRejected(feature(Infinity), "too large to be read");
    }
    for (const name of [undefined, null]) assertRejected(pointFeature({ name }), "A feature needs a name");
  });
});

describe("polygons of an import", () => {
  it("a polygon drawn in either direction is wound by RFC 7946 (G2.2, G3.10)", () => {
    const shell = box(0, 0, 10, 10);
    const hole = box(2, 2, 4, 4);
    for (const outer of [shell, shell.toReversed()]) {
      for (const inner of [hole, hole.toReversed()]) {
        assert.deepStrictEqual(ringsOf(polygonFeature(outer, inner)), [shell, hole.toReversed()]);
      }
    }
    assert.isNull(accepted(polygonFeature(shell)).shape.radiusMeters);
  });

  it("a polygon loses altitudes and repeated positions (G2.3, G3.10)", () => {
    const ring = [[0, 0, 5], [0, 0, 6], [1, 0], [1, 0], [0, 1, 3], [-0, 0], [0, 0, 9]]; // prettier-ignore
    const expected = [[0, 0], [1, 0], [0, 1], [0, 0]]; // prettier-ignore
    assert.deepStrictEqual(ringsOf(polygonFeature(ring)), [expected]);
  });

  it("a polygon may touch itself in single points (G3.10)", () => {
    const pinched = [[0, 0], [2, 0], [1, 1], [2, 2], [0, 2], [1, 1], [0, 0]]; // prettier-ignore
    const onEdge = [[0, 0], [4, 0], [4, 4], [2, 0], [0, 4], [0, 0]]; // prettier-ignore
    assert.deepStrictEqual(ringsOf(polygonFeature(pinched)), [pinched]);
    assert.deepStrictEqual(ringsOf(polygonFeature(onEdge)), [onEdge]);
    const touchingHole = [[0, 5], [3, 3], [3, 7], [0, 5]]; // prettier-ignore
    const touchingHoles = [[5, 5], [4, 4], [4, 3], [5, 5]]; // prettier-ignore
    accepted(polygonFeature(box(0, 0, 10, 10), touchingHole, box(5, 5, 7, 7), touchingHoles));
  });

  it("a polygon that crosses itself or runs along itself is rejected (G3.5)", () => {
    const bowTie = [[0, 0], [2, 2], [2, 0], [0, 2], [0, 0]]; // prettier-ignore
    const bowTieWithVertex = [[0, 0], [1, 1], [2, 2], [2, 0], [1, 1], [0, 2], [0, 0]]; // prettier-ignore
    const spike = [[0, 0], [4, 0], [4, 4], [4, 8], [4, 4], [0, 4], [0, 0]]; // prettier-ignore
    assertRejected(polygonFeature(bowTie), "crosses itself at [1, 1]");
    assertRejected(polygonFeature(bowTieWithVertex), "crosses itself at [1, 1]");
    assertRejected(polygonFeature(spike), "lie on each other at [4, 4]");
  });

  it("a ring needs an area, at least four positions and an end equal to its start (G3.4)", () => {
    assertRejected(polygonFeature([[0, 0], [1, 1], [2, 2], [0, 0]]), "has no area"); // prettier-ignore
    assertRejected(polygonFeature([[1, 1], [1, 1], [1, 1], [1, 1]]), "has no area"); // prettier-ignore
    const short = [[0, 0], [1, 1], [0, 0]]; // prettier-ignore
    assertRejected(polygonFeature(short), "has 3 positions; a ring needs at least four");
    assertRejected(polygonFeature([]), "has 0 positions");
    const open = [[0, 0], [1, 0], [1, 1], [0, 1]]; // prettier-ignore
    assertRejected(
      polygonFeature(open),
      "is not closed: its last position must be equal to its first, [0, 0]",
    );
    assertRejected(polygonFeature(), "A Polygon needs coordinates");
    assertRejected(polygonFeature("ring"), 'must be an array of positions; it is "ring"');
  });

  it("a polygon spans at most 180 degrees of longitude (G3.7)", () => {
    accepted(polygonFeature(box(-90, 0, 90, 10)));
    assertRejected(polygonFeature(box(-90, 0, 90.5, 10)), "spans 180.5 degrees of longitude");
    assertRejected(
      polygonFeature(box(-179, 0, 179, 10)),
      "cut a polygon that crosses the antimeridian in two",
    );
  });

  it("a polygon has at most 10,000 positions in all rings together (G3.7)", () => {
    const ring = (count: number, radius: number) =>
      Array.from({ length: count }, (_, i) => {
        const angle = (2 * Math.PI * (i % (count - 1))) / (count - 1);
        return [radius * Math.cos(angle), radius * Math.sin(angle)];
      });
    accepted(polygonFeature(ring(6000, 20), ring(4000, 10)));
    assertRejected(
      polygonFeature(ring(6000, 20), ring(4001, 10)),
      "has 10001 positions; simplify it to at most 10000",
    );
  });

  it("holes lie inside the exterior ring and apart from each other (G3.6)", () => {
    const shell = box(0, 0, 10, 10);
    assertRejected(polygonFeature(shell, box(20, 20, 21, 21)), "Hole 1 lies outside the exterior ring");
    assertRejected(polygonFeature(shell, box(-1, -1, 11, 11)), "Hole 1 lies outside the exterior ring");
    assertRejected(polygonFeature(shell, box(8, 8, 12, 9)), "Hole 1 crosses the exterior ring at [10, 8]");
    assertRejected(polygonFeature(shell, box(5, 0, 6, 1)), "Hole 1 runs along the exterior ring at [5, 0]");
    assertRejected(polygonFeature(shell, shell), "Hole 1 runs along the exterior ring");
    assertRejected(polygonFeature(shell, box(1, 1, 5, 5), box(3, 3, 7, 7)), "Hole 2 crosses hole 1");
    assertRejected(polygonFeature(shell, box(1, 1, 5, 5), box(2, 2, 3, 3)), "Hole 2 lies inside hole 1");
    const through = [[1, 5], [0, 4], [-1, 5], [0, 6], [1, 5]]; // prettier-ignore
    assertRejected(polygonFeature(shell, through), "Hole 1 crosses the exterior ring at [0, 4]");
  });

  it("a MultiPolygon of one polygon is read as that polygon (G3.10)", () => {
    const multi = (...coordinates: ReadonlyArray<unknown>) => ({
      ...polygonFeature(),
      geometry: { type: "MultiPolygon", coordinates },
    });
    assert.deepStrictEqual(accepted(multi([box(0, 0, 1, 1)])), accepted(polygonFeature(box(0, 0, 1, 1))));
    assertRejected(
      multi([box(0, 0, 1, 1)], [box(2, 2, 3, 3)]),
      "exactly one polygon; this one has 2 polygons",
    );
    assertRejected(multi(), "this one has 0 polygons");
  });
});

describe("reasons of rejected features", () => {
  it("a rejected feature has all its reasons at once (G3.9, import.2)", () => {
    const reasons = reasonsOf({
      type: "Thing",
      properties: { name: "", external_id: [], group: {}, radius: 20 },
      geometry: { type: "Point", coordinates: [200, 100] },
    });
    const words = ["type", "name", "external id", "group name", "longitude", "latitude", "radius"];
    assert.strictEqual(reasons.length, words.length);
    words.forEach((word, i) => assert.include(reasons[i], word));
  });

  it("the reasons name each wrong ring of a polygon, and more than the first clash of its holes", () => {
    const bowTie = [[1, 1], [2, 2], [2, 1], [1, 2], [1, 1]]; // prettier-ignore
    const feature = polygonFeature(
      box(0, 0, 10, 10),
      bowTie,
      [[5, 5]],
      box(9, 9, 11, 9.5),
      box(-1, 3, 1, 4),
      box(50, 50, 51, 51),
    );
    const reasons = reasonsOf(feature);
    const words = [
      "hole 2 has 1 positions",
      "hole 1 crosses itself",
      "Hole 4 crosses",
      "Hole 3 crosses",
      "Hole 5 lies outside",
    ];
    assert.strictEqual(reasons.length, words.length);
    words.forEach((word, i) => assert.include(reasons[i], word));
  });

  it("many wrong positions in a ring give two reasons (G3.3)", () => {
    const ring = [[0, 0], [999, 0], [999, 1], [0, 1], [0, 0]]; // prettier-ignore
    const [first, second, ...others] = reasonsOf(polygonFeature(ring));
    assert.include(first, "Position 2 of the exterior ring has longitude 999");
    assert.include(second, "The exterior ring has 2 wrong positions in all");
    assert.deepStrictEqual(others, []);
  });

  it("the reason for another geometry type names those that are accepted (G3.8)", () => {
    for (const type of ["LineString", "MultiPoint", "MultiLineString", "GeometryCollection", "point"]) {
      const reason = `a Point with a radius, or a Polygon; this feature has the geometry type "${type}"`;
      assertRejected({ ...polygonFeature(), geometry: { type, coordinates: [[0, 0]] } }, reason);
    }
    for (const geometry of [null, undefined, [], "Point"]) {
      assertRejected({ ...polygonFeature(), geometry }, "A feature needs a geometry");
    }
  });

  it("a rejected feature has its name if that is valid (G3.9)", () => {
    const nameOf = (feature: unknown) => {
      const read = readFeature(feature);
      return [read._tag, read.name];
    };
    assert.deepStrictEqual(nameOf(pointFeature({ name: " Dam ", radius: 1 })), ["RejectedFeature", "Dam"]);
    assert.deepStrictEqual(nameOf(pointFeature({ name: {} })), ["RejectedFeature", null]);
    assert.deepStrictEqual(nameOf(null), ["RejectedFeature", null]);
  });
});
