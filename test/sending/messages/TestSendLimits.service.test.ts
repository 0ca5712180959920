import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { Retention } from "../../../src/reports/retention/Retention.ts";
import { testStart, TestWaypost } from "../../TestWaypost.ts";
import { localServices } from "../push/LocalProviders.ts";
import { pushed, pushWorld } from "../push/PushWorld.ts";
import { sendWorld } from "../sends/SendWorld.ts";

const minutes = (count: number) => testStart + count * 60_000;

/** A notification in Production, and the sending of a test of it. */
const testWorld = Effect.gen(function* () {
  const world = yield* sendWorld();
  const { production } = world;
  const campaign = yield* production.push();
  const notification = yield* production.sent(campaign, "23:00");
  const path = `/campaigns/${campaign}/notifications/${notification}/test`;
  const send = (device_ids: ReadonlyArray<string>, key: string = randomUUID()) =>
    production.platform(path, { body: { device_ids }, headers: { "idempotency-key": key } });
  const sent = (device_ids: ReadonlyArray<string>, count: number) =>
    Effect.gen(function* () {
      for (let done = 0; done < count; done++)
        assert.strictEqual((yield* send(device_ids)).status, 202, `${done}`);
    });
  /** The code and the `Retry-After` of a refusal that names the device. */
  const refused = (device_ids: ReadonlyArray<string>, full: string) =>
    Effect.map(send(device_ids), ({ body, headers, status }) => {
      assert.strictEqual(status, 429, JSON.stringify(body));
      assert.include(body.error.message, full);
      return [body.error.code, headers.get("retry-after")];
    });
  return { ...world, path, send, sent, refused };
});

layer(TestWaypost.layer)("Limits of test sends", (it) => {
  it.effect("a device gets at most 20 tests in any hour; with one over it nothing is sent (O4.5)", () =>
    Effect.gen(function* () {
      const { production, refused, sent } = yield* testWorld;
      const [phone, other] = [yield* production.phone(), yield* production.phone()];
      yield* sent([phone.id], 1);
      yield* TestClock.setTime(minutes(20));
      yield* sent([phone.id, phone.id.toUpperCase(), phone.id], 18);
      yield* sent([other.id, phone.id], 1);
      assert.deepStrictEqual(yield* refused([other.id, phone.id], phone.id), ["rate_limited", "2400"]);
      assert.lengthOf(yield* other.inbox(), 1);
      yield* TestClock.setTime(minutes(60) - 1);
      assert.deepStrictEqual(yield* refused([phone.id], phone.id), ["rate_limited", "1"]);
      yield* TestClock.setTime(minutes(60));
      yield* sent([phone.id, other.id], 1);
      assert.deepStrictEqual(yield* refused([phone.id], phone.id), ["rate_limited", "1200"]);
      yield* TestClock.setTime(minutes(80));
      yield* sent([phone.id], 19);
      assert.deepStrictEqual(yield* refused([phone.id], phone.id), ["rate_limited", "2400"]);
      // Of the two tests of the other device one was an hour ago.
      yield* sent([other.id], 19);
      assert.deepStrictEqual(yield* refused([other.id], other.id), ["rate_limited", "2400"]);
    }),
  );

  it.effect(
    "neither registering again, nor failing, a new approval or compaction gives more tests, and a replay " +
      "takes none (O4.5)",
    () =>
      Effect.gen(function* () {
        const { production, refused, send, sent, waypost, workspace } = yield* testWorld;
        const sql = yield* SqlClient.SqlClient;
        const phone = yield* production.phone("phone");
        yield* sql`UPDATE device SET address_gone_at = registered_at WHERE id = ${phone.id}`;
        const key = randomUUID();
        const first = yield* send([phone.id], key);
        assert.deepInclude(first.body.data.deliveries[0], { status: "failed" });
        for (let times = 0; times < 3; times++)
          assert.deepStrictEqual((yield* send([phone.id], key)).body, first.body);
        yield* sent([phone.id], 19);
        yield* refused([phone.id], phone.id);
        yield* phone.ask("/devices/me", { method: "DELETE" });
        const again = yield* production.device("phone");
        assert.strictEqual(again.id, phone.id);
        const approval = (approved: boolean) =>
          production.platform(`/devices/${phone.id}`, { method: "PATCH", body: { approved } });
        yield* approval(false);
        yield* approval(true);
        yield* TestClock.setTime(minutes(59));
        // The shortest retention keeps deliveries of the last day.
        yield* (yield* Retention).compact("deliveries", minutes(59) - 86_400_000);
        yield* refused([phone.id], phone.id);
        // Erased, it is no device that a test could reach, and its installation is another one.
        yield* waypost.operator(`/workspaces/${workspace.id}/production/devices/${phone.id}`, {
          method: "DELETE",
        });
        const another = yield* production.device("phone");
        for (const { id } of [phone, another]) assert.strictEqual((yield* send([id])).status, 422);
      }).pipe(Effect.orDie),
  );

  it.effect("concurrent tests of the same devices are exactly 20 for each (O4.5)", () =>
    Effect.gen(function* () {
      const { production, send } = yield* testWorld;
      const [one, two] = [yield* production.phone(), yield* production.phone()];
      const lists = Array.from({ length: 30 }, (_, index) =>
        index % 2 === 0 ? [one.id, two.id] : [two.id, one.id],
      );
      const statuses = yield* Effect.forEach(lists, (ids) => send(ids), { concurrency: "unbounded" });
      const count = (wanted: number) => statuses.filter(({ status }) => status === wanted).length;
      assert.deepStrictEqual([count(202), count(429)], [20, 10]);
      for (const phone of [one, two]) assert.lengthOf(yield* phone.inbox("?limit=100"), 20);
    }),
  );

  it.effect("pushes that test the credentials do not count (O4.5, S7.2)", () =>
    Effect.gen(function* () {
      const service = yield* localServices.fcm;
      const { base, campaignId, notificationId, phone, production, waypost } = yield* pushWorld(service);
      const owner = yield* phone();
      const test = waypost.operator(`${base}/transports/fcm/test`, { body: { device_id: owner.id } });
      for (let times = 0; times < 21; times++) assert.strictEqual((yield* test).status, 200);
      const path = `/campaigns/${campaignId}/notifications/${notificationId}/test`;
      const send = production.platform(path, { body: { device_ids: [owner.id] } });
      for (let times = 0; times < 20; times++) assert.strictEqual((yield* send).status, 202);
      assert.strictEqual((yield* send).status, 429);
      assert.strictEqual((yield* test).status, 200);
    }),
  );
});

layer(TestWaypost.layer)("Outcomes of test sends", (it) => {
  it.effect("the token that sent a test reads its outcome, and why it failed (O4.6)", () =>
    Effect.gen(function* () {
      const service = yield* localServices.fcm;
      const world = yield* pushWorld(service);
      const { campaignId, location, notificationId, phone, production, waypost, workspace } = world;
      const as = (ability: "notifications:write" | "notifications:read" | "sends:read") =>
        Effect.map(waypost.token(workspace, "production", [ability]), ({ token }) =>
          waypost.platform("production", token),
        );
      const sender = yield* as("notifications:write");
      const path = `/campaigns/${campaignId}/notifications/${notificationId}/test`;
      const [good, bad] = [yield* phone("good"), yield* phone("bad")];
      service.answer((_, { to }) => (to === "bad" ? { status: 400 } : "accept"));
      const sent = (yield* sender(path, { body: { device_ids: [bad.id, good.id] } })).body.data;
      assert.deepStrictEqual(
        sent.deliveries.map(({ device_id, last_error, status }: any) => ({ device_id, status, last_error })),
        [bad, good].map(({ id }) => ({ device_id: id, status: "queued", last_error: null })),
      );
      const shown = yield* sender(`${path}/${sent.id}`);
      assert.deepStrictEqual(shown.body.data, { ...sent, deliveries: sent.deliveries.toReversed() });
      yield* pushed;
      const after = (yield* sender(`${path}/${sent.id}`)).body.data;
      const [accepted, refused] = after.deliveries;
      assert.deepInclude(accepted, { device_id: good.id, status: "delivered", last_error: null });
      assert.deepInclude(refused, { id: sent.deliveries[0].id, device_id: bad.id, status: "failed" });
      assert.deepInclude(yield* world.delivery(refused.id), { last_error: refused.last_error });
      assert.isString(refused.last_error);

      for (const ability of ["notifications:read", "sends:read"] as const)
        assert.strictEqual((yield* (yield* as(ability))(`${path}/${sent.id}`)).status, 403, ability);
      const campaign = yield* production.campaign({ location_ids: [location] });
      const other = yield* production.notification(campaign);
      const elsewhere = yield* pushWorld(service);
      const stranger = elsewhere.production.platform;
      const strangePath = `/campaigns/${elsewhere.campaignId}/notifications/${elsewhere.notificationId}/test`;
      for (const [ask, address] of [
        [sender, `${path}/${refused.id}`],
        [sender, `${path}/${randomUUID()}`],
        [sender, `${path}/x`],
        [sender, `/campaigns/${campaign}/notifications/${other}/test/${sent.id}`],
        [stranger, `${path}/${sent.id}`],
        [stranger, `${strangePath}/${sent.id}`],
      ] as const) {
        const missing = yield* ask(address);
        assert.deepStrictEqual([missing.status, missing.body.error.code], [404, "not_found"], address);
      }
      yield* production.platform(`/campaigns/${campaignId}/notifications/${notificationId}`, {
        method: "PATCH",
        body: { name: "Other", type: "message", headline: "New", body: "New", trigger_type: "on_enter" },
      });
      assert.deepStrictEqual((yield* sender(`${path}/${sent.id}`)).body.data, after);
    }),
  );
});
