import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestWaypost } from "../../TestWaypost.ts";
import { moveTo, sendWorld } from "./SendWorld.ts";

const headlines = (inbox: ReadonlyArray<any>) => inbox.map(({ headline }) => headline as string);

layer(TestWaypost.layer)("Sends at a fixed time", (it) => {
  it.effect(
    "a send runs at its minute and reaches each device registered at that moment once (L2.1, L5.2)",
    () =>
      Effect.gen(function* () {
        const { production, waypost, workspace } = yield* sendWorld();
        const campaign = yield* production.push({ timezone: "Europe/Amsterdam", starts_at: "2026-11-22" });
        const notification = yield* production.sent(campaign, "09:30");
        const [planned] = yield* production.sends();
        assert.deepStrictEqual(planned, {
          id: planned.id,
          campaign_id: campaign,
          notification_id: notification,
          occurrence: null,
          due_at: "2026-11-22T08:30:00+00:00",
          status: "scheduled",
          parts: null,
          targeted: 0,
          delivered: 0,
          failed: 0,
          held: 0,
          dropped: 0,
          pace: null,
          estimated_finish_at: null,
          started_at: null,
          finished_at: null,
        });
        const early = yield* production.phone();
        const leaver = yield* production.phone();
        yield* leaver.ask("/devices/me", { method: "DELETE" });
        yield* moveTo("2026-11-22T08:29:59.999Z");
        assert.deepStrictEqual(yield* early.inbox(), []);
        yield* moveTo("2026-11-22T08:30:00Z");
        const late = yield* production.phone();
        yield* moveTo("2026-11-22T08:31:00Z");
        assert.deepStrictEqual(yield* production.sends(), [
          {
            ...planned,
            status: "done",
            targeted: 1,
            delivered: 1,
            started_at: "2026-11-22T08:30:00+00:00",
            finished_at: "2026-11-22T08:30:00+00:00",
          },
        ]);
        const inbox = yield* early.inbox();
        assert.lengthOf(inbox, 1);
        assert.deepInclude(inbox[0], {
          campaign_id: campaign,
          notification_id: notification,
          headline: "Hello",
          delivered_at: "2026-11-22T08:30:00+00:00",
        });
        assert.deepStrictEqual(yield* late.inbox(), []);
        const { body } = yield* waypost.operator(`/workspaces/${workspace.id}/production/deliveries`);
        assert.lengthOf(body.data, 1);
        assert.deepInclude(body.data[0], {
          send_id: planned.id,
          trigger_type: "fixed_time",
          location_id: null,
          device_id: early.id,
        });
      }),
  );

  it.effect("a send in Sandbox reaches only approved test devices of its environment (L2.2)", () =>
    Effect.gen(function* () {
      const { production, sandbox } = yield* sendWorld();
      const approved = yield* sandbox.phone();
      const stranger = yield* sandbox.device("stranger");
      const elsewhere = yield* production.phone();
      yield* sandbox.sent(yield* sandbox.push(), "12:01");
      yield* moveTo("2026-11-21T12:01:00Z");
      assert.lengthOf(yield* approved.inbox(), 1);
      assert.deepStrictEqual((yield* stranger.ask("/messages")).body.data, []);
      assert.deepStrictEqual(yield* elsewhere.inbox(), []);
      assert.deepInclude((yield* sandbox.sends())[0], { status: "done", targeted: 1, delivered: 1 });
      assert.deepStrictEqual(yield* production.sends(), []);
    }),
  );

  it.effect("a send without recipients is done at once", () =>
    Effect.gen(function* () {
      const { production, sandbox } = yield* sendWorld();
      for (const side of [production, sandbox]) {
        yield* side.sent(yield* side.push(), "12:01");
      }
      yield* moveTo("2026-11-21T12:01:00Z");
      for (const side of [production, sandbox]) {
        assert.deepInclude((yield* side.sends())[0], {
          status: "done",
          targeted: 0,
          delivered: 0,
          failed: 0,
        });
      }
    }),
  );

  it.effect("a send skips gone addresses and counts failed deliveries, with their reason (K1, L6.2)", () =>
    Effect.gen(function* () {
      const { production, waypost, workspace } = yield* sendWorld();
      const sql = yield* SqlClient.SqlClient;
      const push = (token: string) => ({ push: { transport: "fcm", token } });
      yield* production.phone("inbox");
      yield* production.phone("pushed", push("abc"));
      const gone = yield* production.phone("gone", push("def"));
      yield* Effect.orDie(sql`UPDATE device SET address_gone_at = '2026-11-20Z' WHERE id = ${gone.id}`);
      yield* production.sent(yield* production.push(), "12:01");
      yield* moveTo("2026-11-21T12:01:00Z");
      assert.deepInclude((yield* production.sends())[0], {
        status: "done",
        targeted: 2,
        delivered: 1,
        failed: 1,
      });
      const failed = yield* waypost.operator(
        `/workspaces/${workspace.id}/production/deliveries?status=failed`,
      );
      assert.strictEqual(
        failed.body.data[0].last_error,
        "No credentials are set for fcm in this environment.",
      );
    }),
  );

  it.effect(
    "a send reaches the devices in any or all segments of its campaign (L6.1, campaigns.w6, campaigns.w8)",
    () =>
      Effect.gen(function* () {
        const { production, waypost, workspace } = yield* sendWorld();
        const segment = (name: string, attribute: string) =>
          Effect.map(
            waypost.operator(`/workspaces/${workspace.id}/production/segments`, {
              body: { name, rule: { match: "all", conditions: [{ attribute, op: "eq", value: true }] } },
            }),
            ({ body }) => body.data.id as string,
          );
        const segmentation_ids = [yield* segment("Tall", "tall"), yield* segment("Loud", "loud")];
        const tall = yield* production.phone("tall", { attributes: { tall: true } });
        const both = yield* production.phone("both", { attributes: { tall: true, loud: true } });
        const none = yield* production.phone("none");
        const any = yield* production.push({ segmentation_ids });
        const all = yield* production.push({ segmentation_ids, segment_match: "all" });
        yield* production.sent(any, "12:01", { headline: "Any" });
        yield* production.sent(all, "12:01", { headline: "All" });
        yield* moveTo("2026-11-21T12:01:00Z");
        assert.deepStrictEqual(headlines(yield* tall.inbox()), ["Any"]);
        assert.deepStrictEqual(headlines(yield* both.inbox()).toSorted(), ["All", "Any"]);
        assert.deepStrictEqual(yield* none.inbox(), []);
        assert.deepStrictEqual(
          (yield* production.sends()).map(({ targeted }) => targeted),
          [2, 1],
        );
      }),
  );

  it.effect(
    "a send does not target a device at its cap; of one minute the older notification goes first (L4.1)",
    () =>
      Effect.gen(function* () {
        const { production, waypost, workspace } = yield* sendWorld();
        const phone = yield* production.phone();
        const cap = { frequency_cap_count: 1, frequency_cap_period: "day" };
        const capped = yield* production.push(cap);
        yield* production.sent(capped, "12:03", { headline: "Later" });
        yield* production.sent(capped, "12:02", { headline: "Older" });
        yield* production.sent(capped, "12:02", { headline: "Younger" });
        const free = yield* production.push();
        yield* production.sent(free, "12:02", { headline: "Free 1" });
        yield* production.sent(free, "12:02", { headline: "Free 2" });
        yield* moveTo("2026-11-21T12:03:00Z");
        assert.deepStrictEqual(headlines(yield* phone.inbox()).toSorted(), ["Free 1", "Free 2", "Older"]);
        assert.deepStrictEqual(
          (yield* production.sends(`&campaign=${capped}`)).map(({ status, targeted }) => [status, targeted]),
          [
            ["done", 0],
            ["done", 1],
            ["done", 0],
          ],
        );
        // The default of the workspace applies to campaigns without a cap.
        yield* waypost.operator(`/workspaces/${workspace.id}`, {
          method: "PATCH",
          body: { default_frequency_cap: { count: 2, period: "month" } },
        });
        yield* production.sent(free, "12:04", { headline: "Free 3" });
        yield* moveTo("2026-11-21T12:04:00Z");
        assert.notInclude(headlines(yield* phone.inbox()), "Free 3");
      }),
  );

  it.effect(
    "a cap counts what events of the campaign delivered before it became a push campaign (L4.1)",
    () =>
      Effect.gen(function* () {
        const { production } = yield* sendWorld();
        const location = yield* production.location();
        const cap = { frequency_cap_count: 1, frequency_cap_period: "day" };
        const campaign = yield* production.campaign({ location_ids: [location], ...cap });
        const note = yield* production.notification(campaign);
        const [capped, other] = [yield* production.phone(), yield* production.phone()];
        assert.lengthOf((yield* capped.sees("enter", location)).deliveries, 1);
        yield* production.remove(`${campaign}/notifications/${note}`);
        const body = { name: "Now a push", type: "push", timezone: "UTC", starts_at: "2026-11-21", ...cap };
        const { status } = yield* production.platform(`/campaigns/${campaign}`, { method: "PATCH", body });
        assert.strictEqual(status, 200);
        yield* production.sent(campaign, "12:02", { headline: "Pushed" });
        yield* moveTo("2026-11-21T12:02:00Z");
        assert.deepStrictEqual(headlines(yield* capped.inbox()), ["Hello"]);
        assert.deepStrictEqual(headlines(yield* other.inbox()), ["Pushed"]);
      }),
  );

  it.effect("a send keeps the notification's content of its minute", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      const phone = yield* production.phone();
      const campaign = yield* production.push();
      const notification = yield* production.sent(campaign, "12:01", { headline: "Draft" });
      yield* production.resent(campaign, notification, "12:01", { headline: "Final" });
      yield* moveTo("2026-11-21T12:01:00Z");
      yield* production.resent(campaign, notification, "13:00", { headline: "Afterthought" });
      assert.deepStrictEqual(headlines(yield* phone.inbox()), ["Final"]);
    }),
  );

  it.effect("reports count the deliveries of a send as fixed_time (K1.1)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      yield* production.phone();
      const campaign = yield* production.push();
      yield* production.sent(campaign, "12:01");
      yield* moveTo("2026-11-21T12:01:00Z");
      const { body } = yield* production.platform("/reports/summary?activation=fixed_time");
      assert.strictEqual(body.data.totals.delivered, 1);
      const rows = (yield* production.platform("/reports/campaigns")).body.data;
      assert.deepInclude(rows[0], { id: campaign, delivered: 1, engagement: 100 });
    }),
  );

  it.effect("the operator lists sends in pages, by campaign and by status (operator.sends)", () =>
    Effect.gen(function* () {
      const { production, waypost, workspace } = yield* sendWorld();
      const [one, other] = [yield* production.push(), yield* production.push()];
      for (const [campaign, at] of [
        [one, "12:01"],
        [one, "18:00"],
        [other, "18:00"],
      ] as const) {
        yield* production.sent(campaign, at);
      }
      yield* moveTo("2026-11-21T12:01:00Z");
      const all = (yield* production.sends()).map(({ id }) => id as string);
      assert.lengthOf(all, 3);
      const path = `/workspaces/${workspace.id}/production/sends`;
      const first = (yield* waypost.operator(`${path}?limit=2`)).body;
      const second = (yield* waypost.operator(`${path}?limit=2&cursor=${first.meta.next_cursor}`)).body;
      assert.deepStrictEqual(
        [...first.data, ...second.data].map(({ id }: any) => id),
        all.toReversed(),
      );
      assert.isNull(second.meta.next_cursor);
      const ids = (query: string) =>
        Effect.map(production.sends(query), (sends) => sends.map(({ id }) => id as string));
      assert.deepStrictEqual(yield* ids(`&campaign=${one}`), all.slice(0, 2));
      assert.deepStrictEqual(yield* ids("&status=done"), all.slice(0, 1));
      assert.deepStrictEqual(yield* ids(`&campaign=${other}&status=done`), []);
      const bad = yield* waypost.operator(`${path}?campaign=x&status=lost`);
      assert.deepStrictEqual([bad.status, bad.body.error.code], [422, "invalid_parameter"]);
      assert.deepStrictEqual(Object.keys(bad.body.error.fields).toSorted(), ["campaign", "status"]);
      assert.strictEqual((yield* waypost.operator(`/workspaces/${workspace.id}/nowhere/sends`)).status, 404);
    }),
  );
});
