import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { at, manualWorkers } from "../ManualWorkers.ts";
import { recurringWorld, runAt } from "./RecurringWorld.ts";
import { sendWorld } from "./SendWorld.ts";

layer(manualWorkers)("Occurrences of campaigns", (it) => {
  it.effect("the next dates have their instants, ten unless the limit says otherwise (V2.4, Z22, TR5)", () =>
    Effect.gen(function* () {
      const world = yield* recurringWorld("FREQ=DAILY");
      const { campaignId, notificationId, occurrences, platform } = world;
      const { data, meta } = yield* occurrences();
      assert.deepStrictEqual([data.length, meta], [10, { next_cursor: null }]);
      assert.deepStrictEqual(data[0], {
        occurrence: "2026-11-21",
        sends: [{ notification_id: notificationId, due_at: "2026-11-21T18:00:00+00:00" }],
      });
      const second = yield* world.sent(campaignId, "08:00");
      const [first] = (yield* occurrences("?limit=100")).data;
      assert.deepStrictEqual(
        first.sends.map((send: any) => [send.notification_id, send.due_at.slice(11, 16)]),
        [
          [notificationId, "18:00"],
          [second, "08:00"],
        ],
      );
      yield* at("2026-11-21T18:00:00Z");
      assert.strictEqual((yield* occurrences("?limit=1")).data[0].occurrence, "2026-11-21");
      yield* at("2026-11-21T18:00:01Z");
      assert.strictEqual((yield* occurrences("?limit=1")).data[0].occurrence, "2026-11-22");
      for (const limit of ["0", "101", "x"]) {
        const answer = yield* platform(`/campaigns/${campaignId}/occurrences?limit=${limit}`);
        assert.deepStrictEqual([answer.status, answer.body.error.code], [422, "invalid_parameter"]);
      }
      const unknown = yield* platform("/campaigns/01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60/occurrences");
      assert.strictEqual(unknown.status, 404);
      yield* world.update({ recurrence: { rule: "FREQ=YEARLY;INTERVAL=50" } });
      assert.deepStrictEqual(
        (yield* occurrences()).data.map(({ occurrence }: any) => occurrence),
        ["2076-11-21", "2126-11-21"],
      );
      // Days over 100 years after the first one do not exist, at any time.
      yield* at("2030-01-01T00:00:00Z");
      const all = Array.from({ length: 366 }, (_, index) => `${index + 1},-${index + 1}`).join(",");
      const rule = `FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO;BYSETPOS=${all}`;
      yield* world.update({ recurrence: { rule } });
      assert.deepStrictEqual(
        (yield* occurrences("?limit=100")).data.map(({ occurrence }: any) => occurrence),
        ["2044-02-29", "2072-02-29", "2112-02-29"],
      );
    }),
  );

  it.effect("a campaign without recurrence has its one day, and a geo campaign none (Z22)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      const of = (campaign: string) =>
        Effect.map(production.platform(`/campaigns/${campaign}/occurrences`), ({ body }) => body.data);
      const push = yield* production.push({});
      assert.deepStrictEqual(yield* of(push), [{ occurrence: "2026-11-21", sends: [] }]);
      const note = yield* production.sent(push, "18:00");
      const sends = [{ notification_id: note, due_at: "2026-11-21T18:00:00+00:00" }];
      assert.deepStrictEqual(yield* of(push), [{ occurrence: "2026-11-21", sends }]);
      yield* at("2026-11-21T18:00:01Z");
      assert.isEmpty(yield* of(push));
      const geo = yield* production.campaign({ location_ids: [yield* production.location()] });
      assert.isEmpty(yield* of(geo));
    }),
  );

  it.effect(
    "an explanation has the next send of a recurring campaign, and the one before an instant (S6.1)",
    () =>
      Effect.gen(function* () {
        const world = yield* recurringWorld("FREQ=DAILY;COUNT=3");
        const { id } = yield* world.phone();
        const explain = (query = "") =>
          Effect.map(
            world.platform(`/devices/${id}/explain?campaign=${world.campaignId}${query}`),
            ({ body }) => {
              const [{ reaches, reason, until }] = body.data;
              return [reaches, reason, until];
            },
          );
        assert.deepStrictEqual(yield* explain(), [true, null, null]);
        yield* runAt("2026-11-21T18:00:00Z");
        yield* at("2026-11-22T20:00:00Z");
        const sent = [true, "already_sent", "2026-11-21T18:00:00+00:00"];
        assert.deepStrictEqual(yield* explain("&at=2026-11-21T19:00:00Z"), sent);
        yield* runAt("2026-11-23T18:00:00Z");
        yield* at("2026-11-24T12:00:00Z");
        const [, ended] = yield* explain();
        assert.strictEqual(ended, "ended");
      }),
  );

  it.effect("a campaign reaches a device although its next date is not planned yet (S6.1, V2.2)", () =>
    Effect.gen(function* () {
      const world = yield* recurringWorld("FREQ=YEARLY;BYMONTH=6;BYMONTHDAY=1;COUNT=1");
      const { id } = yield* world.phone();
      const path = `/campaigns/${world.campaignId}/notifications/${world.notificationId}`;
      const explain = Effect.map(
        world.platform(`/devices/${id}/explain?campaign=${world.campaignId}`),
        ({ body }) => [body.data[0].reaches, body.data[0].reason],
      );
      yield* at("2026-11-21T13:00:00Z");
      assert.deepStrictEqual(yield* explain, [true, null]);
      yield* at("2027-06-02T00:00:00Z");
      assert.deepStrictEqual(yield* explain, [false, "ended"]);
      yield* at("2026-11-21T13:00:00Z");
      yield* world.platform(path, { method: "DELETE" });
      assert.deepStrictEqual(yield* explain, [false, "no_notification"]);
      // The only date is today, and its time has passed.
      yield* world.sent(world.campaignId, "10:00");
      yield* world.update({ recurrence: { rule: "FREQ=DAILY;COUNT=1" } });
      assert.deepStrictEqual(yield* explain, [false, "no_notification"]);
    }),
  );
});
