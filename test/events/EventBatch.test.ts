import { assert, describe, it } from "@effect/vitest";
import { EventBatch } from "../../src/events/EventBatch.ts";
import { EventBounds } from "../../src/events/EventParts.ts";
import type { EventRequest } from "../../src/events/IncomingEvent.ts";
import { LocationKey } from "../../src/wire/Ids.ts";

const now = Date.UTC(2026, 10, 21, 12);

const request = (deviceKey: number, ...events: ReadonlyArray<readonly [id: string, problem?: string]>) =>
  ({
    caller: {
      workspaceId: 1,
      environment: "production",
      deviceKey,
      workspace: { default_frequency_cap: null },
    },
    now,
    events: events.map(([id, problem = null]) => ({
      _tag: "Read",
      transition: { id, type: "enter", location_id: "dam", occurred_at: now },
      problem,
    })),
  }) as unknown as EventRequest;

const known = [{ ord: 1, location_key: LocationKey(7), goal_campaigns: null, campaign_id: null }] as const;
const device = {
  transport: "inbox",
  obstacle: null,
  timezone: null,
  user_id: null,
  user_key: null,
} as const;

describe("EventBatch", () => {
  it("an event that comes twice in a batch is recorded once and is a duplicate in its own request", () => {
    const batch = new EventBatch([request(1, ["a"], ["b"]), request(1, ["a"]), request(2, ["a"])]);
    assert.lengthOf(batch.locations, 1);
    batch.locate(known, 1);
    const events = batch.takeNew();
    assert.deepStrictEqual(
      events.map(({ deviceKey, id, locationKey }) => [Number(deviceKey), id, Number(locationKey)]),
      [
        [1, "a", 7],
        [1, "b", 7],
        [2, "a", 7],
      ],
    );
    const accepted = batch.record(events, [
      { ord: 2, is_new: false, ...device },
      { ord: 1, is_new: true, ...device },
    ]);
    assert.deepStrictEqual(
      accepted.map(({ incomingEvent }) => incomingEvent.id),
      ["a"],
    );
    const nothing = { accepted: 0, duplicates: 0, rejected: [], messages: [], end: Infinity };
    assert.deepStrictEqual(batch.outcomes([]), [
      { ...nothing, accepted: 1, duplicates: 1 },
      { ...nothing, duplicates: 1 },
      null,
    ]);
  });

  it("an event at a location that was not looked up is left to a later transaction (TR1)", () => {
    const batch = new EventBatch([request(1, ["a"], ["b"])]);
    batch.locate([], 0);
    batch.takePart(EventBounds.defaultValue(), true);
    assert.deepStrictEqual([batch.takeNew(), batch.outcomes([])[0]?.end], [[], 0]);
  });

  it("an event with a problem is rejected, unless it was recorded before", () => {
    const batch = new EventBatch([request(1, ["late", "Too late."], ["again", "Too late."], ["new"])]);
    batch.locate([], 1);
    batch.markDuplicates(batch.incomingEvents.filter(({ id }) => id === "again"));
    assert.deepStrictEqual(batch.takeNew(), []);
    assert.deepStrictEqual(batch.outcomes([])[0]?.duplicates, 1);
    assert.deepStrictEqual(batch.outcomes([])[0]?.rejected, [
      { index: 0, reasons: ["Too late."] },
      { index: 2, reasons: ["There is no location with this id in this workspace and environment."] },
    ]);
  });
});
