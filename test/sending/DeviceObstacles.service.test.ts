import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { type DeviceObstacle, type Obstacle, obstacles } from "../../src/devices/Obstacle.ts";
import { PushQueueSql } from "../../src/sending/push/PushQueueSql.ts";
import { HeldDeliveries } from "../../src/sending/sends/holding/HeldDeliveries.ts";
import type { Environment } from "../../src/workspaces/Environment.ts";
import { decide, dwelling } from "../events/DwellWorld.ts";
import { at, batch, drain, manualWorkers, start } from "./ManualWorkers.ts";
import { obstacleWorld } from "./ObstacleWorld.ts";

type World = Effect.Success<ReturnType<typeof obstacleWorld>>;
type Phone = Effect.Success<ReturnType<World["side"]["phone"]>>;
/** A change of a device, and the first obstacle that it leads to in an environment. */
interface Change {
  readonly obstacle: (environment: Environment) => DeviceObstacle | null;
  readonly happens: (phone: Phone, world: World) => Effect.Effect<unknown, unknown, SqlClient.SqlClient>;
}

const updated = (change: string) => (phone: Phone) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`UPDATE device SET ${sql.literal(change)} WHERE id = ${phone.id}`,
  );
const unsubscribes = (phone: Phone) =>
  phone.ask("/devices/me", { method: "PATCH", body: { subscribed: false } });
const inSandbox = (obstacle: DeviceObstacle) => (environment: Environment) =>
  environment === "sandbox" ? obstacle : null;

const changes: Readonly<Record<string, Change>> = {
  nothing: { obstacle: () => null, happens: () => Effect.void },
  unregisters: {
    obstacle: () => "unregistered",
    happens: (phone) => phone.ask("/devices/me", { method: "DELETE" }),
  },
  "loses its approval": { obstacle: inSandbox("not_approved"), happens: updated("approved = false") },
  unsubscribes: { obstacle: () => "unsubscribed", happens: unsubscribes },
  "loses its address": {
    obstacle: () => "address_gone",
    happens: updated("address_gone_at = registered_at"),
  },
  "loses its approval and unsubscribes": {
    obstacle: (environment) => inSandbox("not_approved")(environment) ?? "unsubscribed",
    happens: (phone) => Effect.andThen(unsubscribes(phone), updated("approved = false")(phone)),
  },
  "is erased": {
    obstacle: () => "unregistered",
    happens: (phone, { side, waypost, workspace }) =>
      waypost.operator(`/workspaces/${workspace.id}/${side.environment}/devices/${phone.id}`, {
        method: "DELETE",
      }),
  },
};

/** A device for each change, in the order of the changes. */
const phonesOf = (world: World) =>
  Effect.forEach(Object.entries(changes), ([name, change]) =>
    Effect.map(world.side.phone(randomUUID(), { attributes: { change: name } }), (phone) => ({
      ...change,
      name,
      phone,
    })),
  );
const happen = (phones: Effect.Success<ReturnType<typeof phonesOf>>, world: World) =>
  Effect.forEach(phones, ({ happens, phone }) => happens(phone, world)).pipe(Effect.orDie);

layer(manualWorkers)("Obstacles of devices", (it) => {
  for (const environment of ["sandbox", "production"] as const) {
    it.effect(
      `in ${environment} each path, the estimate and the explanation agree on a device (S6.4, S4.2, P2.6)`,
      () =>
        Effect.gen(function* () {
          const world = yield* obstacleWorld(environment);
          const { fates, reasonOf, side } = world;
          const location = yield* side.location();
          const phones = yield* phonesOf(world);
          const rule = { match: "all", conditions: [{ attribute: "change", op: "exists", value: true }] };
          const segment = (yield* side.platform("/segments", { body: { name: "All", rule } })).body.data.id;
          const geo = (fields: object) => side.campaign({ location_ids: [location], ...fields });
          const quiet_hours = { from: "11:00", to: "13:00", action: "hold" };
          const [held, visit] = [yield* geo({ quiet_hours }), yield* geo({})];
          yield* side.notification(held);
          yield* side.notification(visit, dwelling(10));
          const queued = yield* side.push();
          yield* side.sent(queued, "12:05", { template: "liquid", headline: "Hello" });
          const sends = [
            yield* side.push(),
            yield* side.push({ segmentation_ids: [segment] }),
            yield* side.push(),
          ];
          const [plain = "", listed = "", local = ""] = sends;
          yield* side.sent(plain, "12:30");
          yield* side.sent(listed, "12:30");
          yield* side.sent(local, "12:30", { trigger_config: { send_at: "12:30", local: true } });
          for (const { phone } of phones) yield* phone.sees("enter", location);
          yield* at("2026-11-21T12:05:00Z");
          yield* start;
          yield* drain;

          yield* happen(phones, world);
          const enter = yield* geo({});
          yield* side.notification(enter);
          const explained = yield* Effect.forEach(phones, ({ phone }) =>
            Effect.forEach([enter, plain, listed, local], (campaign) => reasonOf(phone.id, campaign)),
          );
          const estimate = (yield* side.platform("/campaigns/estimate", { body: { type: "push" } })).body
            .data;
          yield* at("2026-11-21T12:10:00Z");
          yield* decide;
          const event = { type: "enter", location_id: location, occurred_at: "2026-11-21T12:10:00Z" };
          for (const { phone } of phones) yield* phone.report([{ id: randomUUID(), ...event }]);
          yield* at("2026-11-21T12:30:00Z");
          yield* start;
          yield* drain;
          const { workspaceId } = side;
          const partition = { workspaceId, environment, transport: "inbox" } as const;
          const now = Date.parse("2026-11-21T12:30:00Z");
          const taken = yield* (yield* PushQueueSql).take(partition, now, 1_000, 100);
          yield* at("2026-11-21T13:00:00Z");
          yield* (yield* HeldDeliveries).releaseDue;

          const expected = phones.map(({ obstacle }) => obstacle(environment));
          assert.strictEqual(estimate.reachable, expected.filter((each) => each === null).length);
          for (const [index, { name, phone }] of phones.entries()) {
            const obstacle = expected[index] ?? null;
            const isKnown = obstacle !== "unregistered";
            assert.deepStrictEqual(
              explained[index],
              [enter, plain, listed, local].map((campaign) => {
                if (!isKnown) return 404;
                // The message at a local time is still to come.
                return campaign === local ? (obstacle ?? "scheduled") : obstacle;
              }),
              name,
            );
            for (const [path, campaign] of Object.entries({ visit, enter, plain, listed, local })) {
              const statuses = (yield* fates(phone.id, campaign)).map(({ status }) => status);
              assert.deepStrictEqual(statuses, obstacle === null ? ["delivered"] : [], `${name}: ${path}`);
            }
            const [release] = yield* fates(phone.id, held);
            const released = obstacle === null ? ["delivered", null] : ["failed", obstacles[obstacle]];
            const isErased = name === "is erased";
            assert.deepStrictEqual(
              release && [release.status, release.last_error],
              isErased ? undefined : released,
              name,
            );
          }
          // Deliveries without an outcome of an erased device are dropped.
          assert.deepStrictEqual(
            taken
              .toSorted((a, b) => a.deviceKey - b.deviceKey)
              .map(({ obstacle }): Obstacle | null => obstacle),
            expected.slice(0, -1),
          );
        }).pipe(Effect.provide(PushQueueSql.layer)),
    );

    it.effect(
      `in ${environment} a device that changes after a send has listed it gets nothing (S6.4, L6.2, L2.2)`,
      () =>
        Effect.gen(function* () {
          // Batches find the devices of a sparse list one by one, and those of a dense one together.
          for (const isSparse of [false, true]) {
            const world = yield* obstacleWorld(environment);
            const { fates, side } = world;
            const phones = yield* phonesOf(world);
            // Batches of ten keys run by themselves, so that the first one only lists the devices.
            yield* side.crowd(100);
            if (isSparse)
              yield* (yield* SqlClient.SqlClient)`
              UPDATE device SET subscribed = false
              WHERE installation_id LIKE 'crowd-%' AND workspace_id = ${side.workspaceId} AND key < 100`;
            const campaign = yield* side.push({ cap_by: "user" });
            yield* side.sent(campaign, "12:30");
            yield* at("2026-11-21T12:30:00Z");
            yield* start;
            yield* batch;
            yield* at("2026-11-21T12:30:01Z");
            yield* happen(phones, world);
            yield* drain;
            for (const { name, obstacle, phone } of phones) {
              const found = obstacle(environment);
              // A device that was registered when the send started is targeted (contract L2).
              const isTargeted = found === null || name === "unregisters";
              assert.lengthOf(yield* fates(phone.id, campaign), isTargeted ? 1 : 0, name);
            }
          }
        }),
    );

    it.effect(`in ${environment} a test needs the approval, also while it waits (S6.4, O4.2, T6.2)`, () =>
      Effect.gen(function* () {
        const world = yield* obstacleWorld(environment);
        const { reasonOf, side } = world;
        const phones = (yield* phonesOf(world)).filter(({ name }) => name !== "is erased");
        const campaign = yield* side.push();
        const notification = yield* side.sent(campaign, "23:00", { template: "liquid", headline: "Hello" });
        const test = (device: string) =>
          side.platform(`/campaigns/${campaign}/notifications/${notification}/test`, {
            body: { device_ids: [device] },
          });
        const sql = yield* SqlClient.SqlClient;
        for (const { phone } of phones) assert.strictEqual((yield* test(phone.id)).status, 202);
        // A test of an inbox message is delivered at once; this one waits as a push would.
        yield* sql`
          INSERT INTO push_queue (workspace_id, environment, source_id, device_key, transport, due_at)
          SELECT workspace_id, environment, source_id, device_key, transport, created_at FROM delivery
          WHERE test AND workspace_id = ${side.workspaceId} AND environment = ${environment}`;
        yield* happen(phones, world);
        const expected: Readonly<Record<string, Obstacle | null>> = {
          unregisters: "unregistered",
          "loses its approval": "not_approved",
          unsubscribes: "unsubscribed",
          "loses its address": "address_gone",
          "loses its approval and unsubscribes": "not_approved",
        };
        const partition = { workspaceId: side.workspaceId, environment, transport: "inbox" } as const;
        const now = Date.parse("2026-11-21T12:00:00Z");
        const taken = yield* (yield* PushQueueSql).take(partition, now, 1_000, 100);
        assert.deepStrictEqual(
          taken.toSorted((a, b) => a.deviceKey - b.deviceKey).map(({ obstacle }) => obstacle),
          phones.map(({ name }) => expected[name] ?? null),
        );
        for (const { name, phone } of phones) {
          const isRefused = ["unregistered", "not_approved", "unsubscribed"].includes(expected[name] ?? "");
          assert.strictEqual((yield* test(phone.id)).status, isRefused ? 422 : 202, name);
        }
        assert.strictEqual(yield* reasonOf(phones[0]?.phone.id ?? "", campaign), null);
      }).pipe(Effect.orDie, Effect.provide(PushQueueSql.layer)),
    );
  }
});
