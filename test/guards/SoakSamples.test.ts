import { describe, expect, it } from "vitest";
import { minuteOf, trendOf } from "../../scripts/soak/SoakSamples.ts";

describe("Samples of a soak test", () => {
  it("a trend is the slope of the line with the least squares", () => {
    const { error, slope } = trendOf([10, 12, 14, 16]);
    expect(slope).toBeCloseTo(2);
    expect(error).toBeCloseTo(0);
    expect(trendOf([10, 14, 10, 14]).slope).toBeCloseTo(0.8);
  });

  it("a minute has the least of its memory and the median of its counts", () => {
    const at = { node: 300, postgres: 90, postgresOwn: 40, descriptors: 50, connections: 9 };
    const busy = { node: 400, postgres: 95, postgresOwn: 45, descriptors: 60, connections: 10 };
    const idle = { node: 350, postgres: 80, postgresOwn: 30, descriptors: 40, connections: 8 };
    expect(minuteOf([busy, at, idle])).toEqual({ ...at, postgres: 80, postgresOwn: 30 });
  });
});
