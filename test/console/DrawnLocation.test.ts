import { assert, describe, it } from "@effect/vitest";
import { drawnGeometry } from "../../console/locations/DrawnLocation.ts";

const cornersOf = (coordinates: string): unknown => {
  const drawn = { shape: "polygon", latitude: "", longitude: "", radius: "", coordinates } as const;
  return (drawnGeometry(drawn).geometry as { readonly coordinates: ReadonlyArray<unknown> }).coordinates[0];
};

describe("A polygon by pasted coordinates", () => {
  const ring = [
    [4.8, 52.3],
    [4.9, 52.3],
    [4.9, 52.4],
    [4.8, 52.3],
  ];

  it("corners are read with points and with decimal commas (console.locations)", () => {
    assert.deepStrictEqual(cornersOf("52.3, 4.8\n52.3, 4.9\n52.4, 4.9"), ring);
    assert.deepStrictEqual(cornersOf("52,3 4,8\n52,3; 4,9\n52,4 4,9\n"), ring);
    assert.deepStrictEqual(cornersOf("52.3 4.8\n52.3;4.9\n52.4\t4.9"), ring);
  });

  it("a corner that is none is sent as it was typed (console.locations)", () => {
    assert.deepStrictEqual(cornersOf("52.3, 4.8\n95, 4.8\nnorth, 5"), [
      [4.8, 52.3],
      [4.8, 95],
      [5, "north"],
      [4.8, 52.3],
    ]);
  });
});
