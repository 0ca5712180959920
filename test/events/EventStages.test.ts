import { assert, describe, it } from "@effect/vitest";
import { byRequest, locatedAt, outcomesOf, type Recorded, toStore } from "../../src/events/EventStages.ts";
import { type EventRequest, incomingEventsOf } from "../../src/events/IncomingEvent.ts";
import { LocationKey } from "../../src/wire/Ids.ts";

const now = Date.UTC(2026, 10, 21, 12);
const rows = [{ ord: 1, location_key: LocationKey(7), campaign_id: null }] as const;
const all = Infinity;

const request = (deviceKey: number, ...events: ReadonlyArray<readonly [id: string, problem?: string]>) =>
  ({
    caller: { workspaceId: 1, environment: "production", deviceKey, workspace: {} },
    now,
    events: events.map(([id, problem = null]) => ({
      event: { id, type: "enter", location_id: "dam", occurred_at: now },
      problem,
    })),
  }) as unknown as EventRequest;

/** The events of requests at a location, which is unknown for those named "nowhere". */
const partOf = (...requests: ReadonlyArray<EventRequest>) => ({
  requests,
  ends: requests.map(() => all),
  events: requests
    .flatMap(incomingEventsOf)
    .map((event) => locatedAt(event, event.id === "nowhere" ? undefined : rows)),
});

describe("The stages of events", () => {
  it("an event that comes twice in a batch is recorded once and is a duplicate in its own request", () => {
    const part = partOf(request(1, ["a"], ["b"]), request(1, ["a"]), request(2, ["a"]));
    const fresh = toStore(part, new Set()).map((event) => ({ ...event, messages: [] }));
    assert.deepStrictEqual(
      fresh.map(({ deviceKey, id, locationKey }) => [Number(deviceKey), id, Number(locationKey)]),
      [
        [1, "a", 7],
        [1, "b", 7],
        [2, "a", 7],
      ],
    );
    const [first, , third] = fresh;
    if (first === undefined || third === undefined) return assert.fail();
    const recorded = { ...first, devices: new Map(), device: {} } as unknown as Recorded;
    const written = { recorded: [recorded], ended: [third], messages: [] };
    assert.deepStrictEqual(
      outcomesOf(part, new Set(), written).map(
        (outcome) => outcome && [outcome.accepted.map(({ id }) => id), outcome.duplicates, outcome.rejected],
      ),
      [[["a"], 1, []], [[], 1, []], null],
    );
  });

  it("an event with a problem is rejected, unless it was recorded before", () => {
    const part = partOf(request(1, ["late", "Too late."], ["again", "Too late."], ["nowhere"]));
    const known = new Set(part.events.filter(({ id }) => id === "again"));
    assert.deepStrictEqual(toStore(part, known), []);
    const [outcome] = outcomesOf(part, known);
    assert.deepStrictEqual([outcome?.duplicates, outcome?.end], [1, all]);
    assert.deepStrictEqual(outcome?.rejected, [
      { index: 0, reasons: ["Too late."] },
      { index: 2, reasons: ["There is no location with this id in this workspace and environment."] },
    ]);
  });

  it("entries of a request that are left to a later transaction are not counted (TR1)", () => {
    const part = partOf(request(1, ["a"], ["nowhere"], ["nowhere"]));
    const events = byRequest(part.events).get(0) ?? [];
    const [outcome] = outcomesOf({ ...part, ends: [2], events: events.slice(0, 2) }, new Set());
    assert.deepStrictEqual([outcome?.end, outcome?.rejected.map(({ index }) => index)], [2, [1]]);
  });
});
