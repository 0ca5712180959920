import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { CustomEventsSql } from "../../src/events/custom/CustomEventsSql.ts";
import { EventTriggersSql } from "../../src/events/custom/EventTriggersSql.ts";
import type { TenantKey } from "../../src/workspaces/Environment.ts";
import { after, withoutJobs } from "./DwellWorld.ts";
import { eventCampaign } from "./EventCampaignWorld.ts";

const limit = 100;

/**
 * A campaign, and a person with 300 devices, the first of them that with the number 1: it is the phone, which
 * alone gets messages. `last` is how many of the others were seen after it.
 */
const guest = (last: number, trigger: object = {}) =>
  Effect.gen(function* () {
    const world = yield* eventCampaign(trigger);
    const user_id = randomUUID();
    const phone = yield* world.production.phone(randomUUID(), { user_id });
    const sql = yield* SqlClient.SqlClient;
    yield* sql`INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport,
        approved, token_digest, registered_at, last_seen_at, user_id, user_key, subscribed)
      SELECT d.workspace_id, d.environment, 1000 + n, gen_random_uuid(), 'crowd ' || n, 'web', 'inbox',
        true, d.token_digest, d.registered_at,
        d.last_seen_at + CASE WHEN n <= ${last}::int THEN interval '1 minute' ELSE interval '-1 minute' END,
        d.user_id, d.user_key, false
      FROM device d, generate_series(1, 299) AS n WHERE d.id = ${phone.id}`;
    return { ...world, phone, user_id, messages: () => world.messages(phone) };
  });

layer(withoutJobs)("Events of a person with many devices", (it) => {
  it.effect("an event reaches one of the 100 devices seen last, and not the 101st (TR3)", () =>
    Effect.gen(function* () {
      const near = yield* guest(limit - 1);
      yield* near.send({ user_id: near.user_id });
      assert.strictEqual(yield* near.messages(), 1);
      const far = yield* guest(limit);
      const answer = yield* far.send({ user_id: far.user_id });
      assert.deepStrictEqual([answer.accepted, yield* far.messages()], [1, 0]);
    }),
  );

  it.effect(
    "a delayed event reaches one of the 100 devices that were seen last at its minute (TR3, V4.9)",
    () =>
      Effect.gen(function* () {
        const near = yield* guest(limit - 1, { delay_minutes: 5 });
        const far = yield* guest(limit, { delay_minutes: 5 });
        for (const { send, user_id } of [near, far]) yield* send({ user_id });
        yield* after(5);
        assert.deepStrictEqual([yield* near.messages(), yield* far.messages()], [1, 0]);
      }),
  );

  it.effect("300 events of a person read 100 devices once, and each fires (TR3)", () =>
    Effect.gen(function* () {
      const { campaignId, phone, production, user_id } = yield* guest(10, { delay_minutes: 5 });
      const sql = yield* SqlClient.SqlClient;
      const [tenant] = yield* sql<TenantKey>`
        SELECT workspace_id AS "workspaceId", environment FROM device WHERE id = ${phone.id}`;
      if (tenant === undefined) return assert.fail();
      const events = yield* CustomEventsSql;
      const triggers = yield* EventTriggersSql;
      const found = yield* events.devices(tenant, [{ user_id }]);
      assert.lengthOf(found, limit);
      const userKey = found[0]?.userKey ?? 0;
      const rows = yield* triggers.devicesOf([{ ...tenant, userKey }]);
      assert.deepStrictEqual(
        rows.map(({ deviceKeys }) => deviceKeys),
        [found.map(({ deviceKey }) => deviceKey)],
      );
      const ids = Array.from({ length: 300 }, () => ({ user_id, id: randomUUID(), name: "basket.filled" }));
      const { body } = yield* production.platform("/events", { body: { events: ids } });
      assert.strictEqual(body.data.accepted, 300);
      yield* after(5);
      const [row] = yield* sql`SELECT count(*)::int AS messages FROM delivery
        WHERE campaign_key = (SELECT key FROM campaign WHERE id = ${campaignId})`;
      assert.deepStrictEqual(row, { messages: 300 });
    }).pipe(Effect.provide([CustomEventsSql.layer, EventTriggersSql.layer])),
  );
});
