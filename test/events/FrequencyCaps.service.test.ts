import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { Settings } from "../../src/config/Settings.ts";
import { Events } from "../../src/events/Events.ts";
import { EventRecorder } from "../../src/events/EventRecorder.ts";
import { Deliveries } from "../../src/sending/deliveries/Deliveries.ts";
import { DeviceId, DeviceKey } from "../../src/wire/Ids.ts";
import { ParsedBody } from "../../src/wire/ParsedBody.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { TestWaypost, testStart } from "../TestWaypost.ts";
import { fromNow } from "../given/GivenBodies.ts";
import { givenWorkspace } from "../given/GivenWorkspace.ts";
import { firstCampaign } from "./EventWorld.ts";

const once = { frequency_cap_count: 1, frequency_cap_period: "day" };

layer(TestWaypost.layer)("Frequency caps", (it) => {
  const firedBy = (phone: { readonly sees: any }, location: string) =>
    Effect.map(phone.sees("enter", location) as Effect.Effect<{ deliveries: Array<any> }>, ({ deliveries }) =>
      deliveries.map(({ headline }) => headline as string),
    );

  it.effect("a cap lets older notifications through first, within one event and one request (L4.5)", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(testStart);
      const { production } = yield* givenWorkspace();
      const location = yield* production.location();
      const cap = { frequency_cap_count: 3, frequency_cap_period: "day" };
      const campaign = yield* production.campaign({ location_ids: [location], ...cap });
      yield* production.notification(campaign, { headline: "Older" });
      yield* production.notification(campaign, { headline: "Younger" });
      const free = yield* production.campaign({ location_ids: [location] });
      yield* production.notification(free, { headline: "Uncapped" });
      const phone = yield* production.phone();
      const occurred_at = yield* fromNow(0);
      const event = () => ({ id: randomUUID(), type: "enter", location_id: location, occurred_at });
      const report = yield* phone.report([event(), event(), event()]);
      assert.deepStrictEqual(
        report.body.data.deliveries.map(({ headline }: any) => headline),
        ["Older", "Younger", "Uncapped", "Older", "Uncapped", "Uncapped"],
      );
      assert.deepStrictEqual(yield* firedBy(phone, location), ["Uncapped"]);
      // Each device has its own cap.
      assert.lengthOf(yield* firedBy(yield* production.phone(), location), 3);
    }),
  );

  it.effect("a cap starts again with the calendar day, ISO week or month of the campaign's zone (L4.2)", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(testStart);
      const { production } = yield* givenWorkspace();
      const location = yield* production.location();
      for (const period of ["day", "week", "month"]) {
        const campaign = yield* production.campaign({
          timezone: "Europe/Amsterdam",
          location_ids: [location],
          frequency_cap_count: 1,
          frequency_cap_period: period,
        });
        yield* production.notification(campaign, { headline: period });
      }
      const phone = yield* production.phone();
      const at = (time: string) =>
        Effect.andThen(TestClock.setTime(Date.parse(time)), firedBy(phone, location));
      assert.deepStrictEqual(yield* at("2026-11-21T22:59:59.999Z"), ["day", "week", "month"]);
      // In Amsterdam: Sunday begins, then Monday with a new week, then December on a Tuesday.
      assert.deepStrictEqual(yield* at("2026-11-21T23:00:00Z"), ["day"]);
      assert.deepStrictEqual(yield* at("2026-11-22T22:59:59.999Z"), []);
      assert.deepStrictEqual(yield* at("2026-11-22T23:00:00Z"), ["day", "week"]);
      assert.deepStrictEqual(yield* at("2026-11-30T22:59:59.999Z"), ["day", "week"]);
      assert.deepStrictEqual(yield* at("2026-11-30T23:00:00Z"), ["day", "month"]);
    }),
  );

  it.effect("a campaign's cap takes precedence over the workspace's default (L4.3, campaigns.w9)", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(testStart);
      const { production, workspace } = yield* givenWorkspace();
      const location = yield* production.location();
      const own = yield* production.campaign({ location_ids: [location], ...once, frequency_cap_count: 2 });
      yield* production.notification(own, { headline: "Own" });
      const without = yield* production.campaign({ location_ids: [location] });
      yield* production.notification(without, { headline: "Default" });
      const workspaces = yield* Workspaces;
      const byDefault = (default_frequency_cap: { count: number; period: "day" } | null) =>
        workspaces.update(workspace.id, ParsedBody.of({ default_frequency_cap }));
      yield* byDefault({ count: 1, period: "day" });
      const phone = yield* production.phone();
      assert.deepStrictEqual(yield* firedBy(phone, location), ["Own", "Default"]);
      assert.deepStrictEqual(yield* firedBy(phone, location), ["Own"]);
      yield* byDefault(null);
      assert.deepStrictEqual(yield* firedBy(phone, location), ["Default"]);
    }).pipe(Effect.orDie),
  );

  it.effect("a cap counts pushes still being sent, and no failed delivery (L4.1)", () =>
    Effect.gen(function* () {
      const { location, production } = yield* firstCampaign(once);
      const sql = yield* SqlClient.SqlClient;
      const phone = yield* production.phone(randomUUID(), { push: { transport: "fcm", token: "t" } });
      assert.lengthOf(yield* firedBy(phone, location), 1);
      assert.lengthOf(yield* firedBy(phone, location), 1);
      for (const status of ["queued", "handed_over"]) {
        yield* Effect.orDie(
          sql`UPDATE delivery SET status = ${status}, settled_at = NULL WHERE transport = 'fcm'`,
        );
        assert.deepStrictEqual(yield* firedBy(phone, location), [], status);
      }
    }),
  );

  it.effect("a cap holds for concurrent events of one device (L4.4)", () =>
    Effect.gen(function* () {
      const { location, phone } = yield* firstCampaign(once);
      const fired = yield* Effect.all(
        Array.from({ length: 16 }, () => firedBy(phone, location)),
        { concurrency: "unbounded" },
      );
      assert.strictEqual(fired.flat().length, 1);
      assert.lengthOf(yield* phone.inbox(), 1);
    }),
  );

  it.effect("a cap holds and an event counts once across processes (L4.4, L5.1)", () =>
    Effect.gen(function* () {
      const { location, phone, production, workspace } = yield* firstCampaign(once);
      const processes = yield* Effect.forEach(Array.from({ length: 4 }), () =>
        Effect.map(
          Layer.build(
            Layer.fresh(
              Events.layer.pipe(
                Layer.provide([EventRecorder.layer, Settings.layerTest()]),
                Layer.provide(Deliveries.layer),
              ),
            ),
          ),
          (context) => Effect.provide(Events, context),
        ),
      );
      const { workspaceId } = yield* (yield* Workspaces).find(workspace.id);
      const sql = yield* SqlClient.SqlClient;
      const [device] = yield* sql<{ key: number }>`SELECT key FROM device WHERE id = ${phone.id}`;
      const caller = {
        workspaceId,
        workspace,
        environment: production.environment,
        deviceId: DeviceId(phone.id),
        deviceKey: DeviceKey(device?.key ?? 0),
        tokenDigest: new Uint8Array(32),
        locationsVersion: 0,
        webhookEvents: [],
      };
      const occurred_at = yield* fromNow(0);
      for (let round = 0; round < 10; round++) {
        const same = randomUUID();
        const outcomes = yield* Effect.forEach(
          processes,
          (process) =>
            Effect.flatMap(process, (events) =>
              events.report(
                caller,
                ParsedBody.of({
                  events: [same, randomUUID()].map((id) => ({
                    id,
                    type: "enter",
                    location_id: location,
                    occurred_at,
                  })),
                }),
              ),
            ),
          { concurrency: "unbounded" },
        );
        const sum = (of: (outcome: (typeof outcomes)[number]) => number) =>
          outcomes.reduce((total, outcome) => total + of(outcome), 0);
        assert.deepStrictEqual(
          [sum(({ accepted }) => accepted), sum(({ duplicates }) => duplicates)],
          [processes.length + 1, processes.length - 1],
        );
        assert.strictEqual(
          sum(({ deliveries }) => deliveries.length),
          round === 0 ? 1 : 0,
        );
      }
    }).pipe(Effect.scoped, Effect.orDie),
  );
});
