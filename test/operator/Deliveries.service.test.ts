import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { givenWorkspace } from "../given/GivenWorkspace.ts";
import { TestWaypost } from "../TestWaypost.ts";

const nobody = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";

layer(TestWaypost.shared)("The operator's list of deliveries", (it) => {
  it.effect(
    "the list shows each delivery with its outcome, newest first, in pages (operator.deliveries)",
    () =>
      Effect.gen(function* () {
        const { operator } = yield* TestWaypost;
        const { production, workspace } = yield* givenWorkspace();
        const location = yield* production.location();
        const campaign = yield* production.campaign({ location_ids: [location] });
        const notification = yield* production.notification(campaign);
        const inbox = yield* production.phone();
        const pushed = yield* production.phone("pushed", { push: { transport: "fcm", token: "abc" } });
        yield* inbox.sees("enter", location);
        yield* pushed.sees("enter", location);

        const path = `/workspaces/${workspace.id}/production/deliveries`;
        const { body, status } = yield* operator(path);
        assert.strictEqual(status, 200);
        const shown = { campaign_id: campaign, notification_id: notification, location_id: location };
        const common = {
          ...shown,
          send_id: null,
          trigger_type: "on_enter",
          cut: [],
          variant: null,
          created_at: "2026-11-21T12:00:00+00:00",
        };
        assert.deepStrictEqual(body.data, [
          {
            ...common,
            id: body.data[0].id,
            device_id: pushed.id,
            transport: "fcm",
            status: "failed",
            attempts: 0,
            last_error: "No credentials are set for fcm in this environment.",
            test: false,
            held_until: null,
            delivered_at: null,
          },
          {
            ...common,
            id: body.data[1].id,
            device_id: inbox.id,
            transport: "inbox",
            status: "delivered",
            attempts: 0,
            last_error: null,
            test: false,
            held_until: null,
            delivered_at: "2026-11-21T12:00:00+00:00",
          },
        ]);
        const [failed, delivered] = body.data;

        const first = yield* operator(`${path}?limit=1`);
        const second = yield* operator(`${path}?limit=1&cursor=${first.body.meta.next_cursor}`);
        assert.deepStrictEqual([...first.body.data, ...second.body.data], [failed, delivered]);
        assert.isNull(second.body.meta.next_cursor);

        for (const [query, expected] of [
          ["status=failed", [failed]],
          ["status=queued", []],
          [`device=${inbox.id}`, [delivered]],
          [`campaign=${campaign}&notification=${notification}`, [failed, delivered]],
          [`campaign=${nobody}`, []],
          [`notification=${nobody}`, []],
          [`device=${nobody}`, []],
        ] as const) {
          assert.deepStrictEqual((yield* operator(`${path}?${query}`)).body.data, expected, query);
        }
        const bad = yield* operator(`${path}?campaign=x&device=y&status=lost`);
        assert.deepStrictEqual([bad.status, bad.body.error.code], [422, "invalid_parameter"]);
        assert.deepStrictEqual(Object.keys(bad.body.error.fields).toSorted(), [
          "campaign",
          "device",
          "status",
        ]);

        // The id of a message is the id of its delivery.
        assert.strictEqual((yield* inbox.inbox())[0]?.id, delivered.id);
        const elsewhere = yield* operator(`/workspaces/${workspace.id}/sandbox/deliveries`);
        assert.deepStrictEqual(elsewhere.body.data, []);
      }),
  );

  it.effect(
    "deliveries of a deleted campaign keep their location and are found by the campaign (E10.3)",
    () =>
      Effect.gen(function* () {
        const { operator } = yield* TestWaypost;
        const { production, workspace } = yield* givenWorkspace();
        const location = yield* production.location();
        const campaign = yield* production.campaign({ location_ids: [location] });
        const notification = yield* production.notification(campaign);
        const phone = yield* production.phone();
        yield* phone.sees("enter", location);
        yield* production.platform(`/campaigns/${campaign}`, { method: "DELETE" });
        yield* production.platform(`/locations/${location}`, { method: "DELETE" });
        yield* phone.ask("/devices/me", { method: "DELETE" });
        const { body } = yield* operator(`/workspaces/${workspace.id}/production/deliveries`);
        assert.lengthOf(body.data, 1);
        const found = yield* operator(
          `/workspaces/${workspace.id}/production/deliveries?campaign=${campaign}`,
        );
        assert.deepStrictEqual(found.body.data, body.data);
        assert.deepInclude(body.data[0], {
          campaign_id: campaign,
          location_id: location,
          notification_id: notification,
          device_id: phone.id,
        });
      }),
  );
});
