import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../../TestWaypost.ts";
import { pollAgain, moveTo, sendWorld } from "./SendWorld.ts";

const shown = ({ due_at, status }: any) => [status, due_at];

layer(TestWaypost.shared)("Planned sends", (it) => {
  const one = (fields: object = {}, sendAt = "18:00") =>
    Effect.gen(function* () {
      const { production, workspace, waypost } = yield* sendWorld();
      const campaign = yield* production.push(fields);
      const notification = yield* production.sent(campaign, sendAt);
      const [planned] = yield* production.sends();
      const patch = (more: object) =>
        production.platform(`/campaigns/${campaign}`, {
          method: "PATCH",
          body: { name: "Moved", type: "push", timezone: "UTC", starts_at: "2026-11-21", ...more },
        });
      return { production, workspace, waypost, campaign, notification, planned, patch };
    });

  it.effect(
    "a send minute in a clock change is moved out of a gap, and is the earlier of two (E1, L2.1)",
    () =>
      Effect.gen(function* () {
        const { production } = yield* sendWorld();
        const phone = yield* production.phone();
        for (const [starts_at, timezone, sendAt, due] of [
          ["2027-03-28", "Europe/Amsterdam", "02:30", "2027-03-28T01:30:00"],
          ["2027-10-31", "Europe/Amsterdam", "02:30", "2027-10-31T00:30:00"],
          ["2027-10-31", "Europe/Amsterdam", "03:00", "2027-10-31T02:00:00"],
          ["2027-11-07", "America/New_York", "01:59", "2027-11-07T05:59:00"],
        ] as const) {
          const campaign = yield* production.push({ starts_at, timezone });
          yield* production.sent(campaign, sendAt);
          const sends = production.sends(`&campaign=${campaign}`);
          assert.strictEqual((yield* sends)[0].due_at, `${due}+00:00`);
          const before = (yield* phone.inbox()).length;
          yield* moveTo(new Date(Date.parse(`${due}Z`) - 1).toISOString());
          assert.lengthOf(yield* phone.inbox(), before);
          yield* moveTo(`${due}Z`);
          assert.lengthOf(yield* phone.inbox(), before + 1);
          // In autumn the same time of day comes again an hour later.
          yield* moveTo(new Date(Date.parse(`${due}Z`) + 3_600_000).toISOString());
          assert.lengthOf(yield* phone.inbox(), before + 1);
        }
      }),
  );

  it.effect(
    "a push campaign has started when its day begins in its zone, so a later start time is kept (E3.4)",
    () =>
      Effect.gen(function* () {
        const starts_at = "2026-11-23 23:59";
        const timezone = "Europe/Amsterdam";
        const { patch, planned, production } = yield* one({ starts_at, timezone }, "08:39");
        const changed = (start: string) =>
          Effect.map(patch({ timezone, starts_at: start }), ({ body, status }) =>
            status === 200 ? [] : Object.keys(body.error.fields),
          );
        yield* moveTo("2026-11-22T22:59:59Z");
        assert.deepStrictEqual(yield* changed("2026-11-24 23:59"), []);
        assert.deepStrictEqual(yield* changed(starts_at), []);
        // From here on its day has begun, and it sends; its start is almost 24 hours ahead.
        for (const time of ["2026-11-22T23:00:00Z", "2026-11-23T07:39:00Z"]) {
          yield* moveTo(time);
          for (const start of ["2026-11-24 23:59", "2026-11-23", "2026-11-23 23:58"])
            assert.deepStrictEqual(yield* changed(start), ["starts_at"], `${start} at ${time}`);
          assert.deepStrictEqual(yield* changed(starts_at), []);
        }
        assert.deepInclude((yield* production.sends())[0], {
          id: planned.id,
          due_at: "2026-11-23T07:39:00+00:00",
          status: "done",
        });
      }),
  );

  it.effect(
    "a send moves with its campaign's day and zone at the same time of day, and keeps its id (E11.1, L3.3)",
    () =>
      Effect.gen(function* () {
        const { patch, planned, production } = yield* one({ starts_at: "2026-11-25" });
        assert.strictEqual((yield* patch({ starts_at: "2026-11-27" })).status, 200);
        const moved = { ...planned, due_at: "2026-11-27T18:00:00+00:00" };
        assert.deepStrictEqual(yield* production.sends(), [moved]);
        yield* patch({ starts_at: "2026-11-27", timezone: "Europe/Amsterdam" });
        assert.deepStrictEqual(yield* production.sends(), [
          { ...planned, due_at: "2026-11-27T17:00:00+00:00" },
        ]);
        const phone = yield* production.phone();
        yield* moveTo("2026-11-25T18:00:00Z");
        assert.deepStrictEqual(yield* phone.inbox(), []);
        yield* moveTo("2026-11-27T17:00:00Z");
        assert.lengthOf(yield* phone.inbox(), 1);
      }),
  );

  it.effect("a new time of a notification moves its scheduled send (L3.3)", () =>
    Effect.gen(function* () {
      const { campaign, notification, planned, production } = yield* one();
      yield* production.resent(campaign, notification, "18:30");
      assert.deepStrictEqual(yield* production.sends(), [
        { ...planned, due_at: "2026-11-21T18:30:00+00:00" },
      ]);
      const refused = yield* production.resent(campaign, notification, "11:00");
      assert.strictEqual(refused.status, 422);
      assert.deepStrictEqual((yield* production.sends()).map(shown), [
        ["scheduled", "2026-11-21T18:30:00+00:00"],
      ]);
    }),
  );

  it.effect(
    "a new time after the send has run adds a send, which can reach the same device (F6.2, L3.3)",
    () =>
      Effect.gen(function* () {
        const { campaign, notification, production } = yield* one();
        const phone = yield* production.phone();
        yield* moveTo("2026-11-21T18:00:00Z");
        // Also at the minute itself.
        assert.strictEqual((yield* production.resent(campaign, notification, "18:00")).status, 422);
        yield* moveTo("2026-11-21T18:05:00Z");
        assert.strictEqual((yield* production.resent(campaign, notification, "18:00")).status, 422);
        assert.strictEqual((yield* production.resent(campaign, notification, "19:00")).status, 200);
        assert.deepStrictEqual((yield* production.sends()).map(shown), [
          ["done", "2026-11-21T18:00:00+00:00"],
          ["scheduled", "2026-11-21T19:00:00+00:00"],
        ]);
        yield* moveTo("2026-11-21T19:00:00Z");
        assert.lengthOf(yield* phone.inbox(), 2);
        assert.deepStrictEqual(
          (yield* production.sends()).map(({ status }) => status),
          ["done", "done"],
        );
      }),
  );

  it.effect("a send that is due during a pause is skipped, and publishing does not run it (L3.1)", () =>
    Effect.gen(function* () {
      const { campaign, notification, planned, production } = yield* one();
      const phone = yield* production.phone();
      yield* production.ask(campaign, "pause");
      assert.deepStrictEqual(yield* production.sends(), [planned]);
      yield* moveTo("2026-11-21T18:00:00Z");
      const skipped = { ...planned, status: "skipped", finished_at: "2026-11-21T18:00:00+00:00" };
      assert.deepStrictEqual(yield* production.sends(), [skipped]);
      yield* production.ask(campaign, "publish");
      yield* pollAgain;
      assert.deepStrictEqual(yield* production.sends(), [skipped]);
      assert.deepStrictEqual(yield* phone.inbox(), []);
      // A new time adds a send.
      assert.strictEqual((yield* production.resent(campaign, notification, "19:00")).status, 200);
      yield* moveTo("2026-11-21T19:00:00Z");
      assert.lengthOf(yield* phone.inbox(), 1);
    }),
  );

  it.effect("a pause that ends before the send's minute changes nothing (L3.1)", () =>
    Effect.gen(function* () {
      const { campaign, planned, production } = yield* one();
      const phone = yield* production.phone();
      yield* production.ask(campaign, "pause");
      yield* moveTo("2026-11-21T17:59:00Z");
      yield* production.ask(campaign, "publish");
      assert.deepStrictEqual(yield* production.sends(), [planned]);
      yield* moveTo("2026-11-21T18:00:00Z");
      assert.lengthOf(yield* phone.inbox(), 1);
    }),
  );

  it.effect(
    "deleting the campaign or detaching the notification cancels the send (E10.1, L3.3, campaigns.s_deleted)",
    () =>
      Effect.gen(function* () {
        const { campaign, notification, planned, production } = yield* one();
        const other = yield* production.sent(campaign, "18:00");
        const phone = yield* production.phone();
        yield* production.remove(`${campaign}/notifications/${notification}`);
        const [first, second] = yield* production.sends();
        assert.deepStrictEqual(first, {
          ...planned,
          status: "cancelled",
          finished_at: "2026-11-21T12:00:00+00:00",
        });
        assert.deepInclude(second, { notification_id: other, status: "scheduled" });
        yield* production.remove(campaign);
        yield* moveTo("2026-11-21T18:00:00Z");
        assert.deepStrictEqual(
          (yield* production.sends(`&campaign=${campaign}`)).map(({ status }) => status),
          ["cancelled", "cancelled"],
        );
        assert.deepStrictEqual(yield* phone.inbox(), []);
      }),
  );

  it.effect("a finished send stays done when its campaign is deleted (E10)", () =>
    Effect.gen(function* () {
      const { campaign, production } = yield* one();
      const phone = yield* production.phone();
      yield* moveTo("2026-11-21T18:00:00Z");
      const before = yield* production.sends();
      yield* production.remove(campaign);
      assert.deepStrictEqual(yield* production.sends(), before);
      assert.strictEqual((yield* phone.inbox())[0].campaign_id, campaign);
    }),
  );

  it.effect(
    "a push campaign runs on the whole day of its start, also before its start time (write rule 4)",
    () =>
      Effect.gen(function* () {
        const { production } = yield* one({ starts_at: "2026-11-22 15:00" }, "09:00");
        const phone = yield* production.phone();
        assert.strictEqual((yield* production.sends())[0].due_at, "2026-11-22T09:00:00+00:00");
        yield* moveTo("2026-11-22T09:00:00Z");
        assert.lengthOf(yield* phone.inbox(), 1);
      }),
  );

  it.effect("nothing is sent for a workspace that is scheduled for deletion", () =>
    Effect.gen(function* () {
      const { production, waypost, workspace } = yield* one();
      yield* waypost.operator(`/workspaces/${workspace.id}`, {
        method: "PATCH",
        body: { deletion_scheduled: true },
      });
      yield* moveTo("2026-11-21T18:00:00Z");
      assert.deepInclude((yield* production.sends())[0], { status: "skipped", targeted: 0 });
    }),
  );

  it.effect("a refused change and a replayed request do not change the planned sends (J1)", () =>
    Effect.gen(function* () {
      const { campaign, patch, planned, production } = yield* one();
      assert.strictEqual((yield* patch({ starts_at: "2026-11-27", name: "" })).status, 422);
      assert.deepStrictEqual(yield* production.sends(), [planned]);
      const twice = {
        headers: { "idempotency-key": "again" },
        body: {
          name: "Note",
          type: "message",
          headline: "Hello",
          body: "World",
          trigger_type: "fixed_time",
          trigger_config: { send_at: "20:00" },
        },
      };
      yield* production.platform(`/campaigns/${campaign}/notifications`, twice);
      yield* production.platform(`/campaigns/${campaign}/notifications`, twice);
      assert.lengthOf(yield* production.sends(), 2);
    }),
  );
});
