import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { at, drain, manualWorkers, start } from "../ManualWorkers.ts";
import { sendWorld } from "./SendWorld.ts";

/** Messages that read everything of a device, an attribute, its locale and nothing. */
const contents = [
  {
    template: "liquid",
    headline: "Hi {{ device.attributes.name }}",
    body: "{{ campaign.name }}{{ device.locale }}{{ device.platform }}{{ device.timezone }}",
  },
  { template: "liquid", body: "Hi {{ device.attributes.name }}" },
  { translations: { nl: { headline: "Hallo" } } },
  {},
];
const device = { attributes: { name: "Ada", plan: "gold" }, locale: "nl-NL", timezone: "Europe/Amsterdam" };

layer(manualWorkers)("The facts that sends keep", (it) => {
  it.effect("sends that run together, or to a list of devices, keep what each of them reads (T7)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const { production } = yield* sendWorld();
      yield* production.phone(randomUUID(), device);
      const rule = { match: "all", conditions: [{ attribute: "plan", op: "exists", value: true }] };
      const segment = yield* production.platform("/segments", { body: { name: "Golden", rule } });
      const listed = { segmentation_ids: [segment.body.data.id] };
      const read = (campaign: string) => {
        const { locale, timezone } = device;
        const all = { attributes: { name: "Ada" }, locale, timezone, platform: "android", campaign };
        return [all, { attributes: { name: "Ada" } }, { locale }, null];
      };
      const sent = Effect.fnUntraced(function* (time: string, target: object, all: ReadonlyArray<object>) {
        const campaign = yield* production.push({ name: time, ...target });
        for (const content of all) yield* production.sent(campaign, time, content);
        yield* at(`2026-11-21T${time}:00Z`);
        yield* start;
        yield* drain;
        const rows = yield* sql<{ readonly recipient: unknown; readonly transaction: string }>`
          SELECT recipient, xmin::text AS transaction FROM delivery
          WHERE workspace_id = ${production.workspaceId} ORDER BY created_at DESC LIMIT ${all.length}`;
        // Sends that fail together would run one by one.
        assert.strictEqual(new Set(rows.map(({ transaction }) => transaction)).size, 1);
        return rows.map(({ recipient }) => recipient);
      });
      assert.sameDeepMembers(yield* sent("13:00", {}, contents), read("13:00"));
      assert.sameDeepMembers(yield* sent("14:00", listed, contents), read("14:00"));
      const alone = yield* sent("15:00", listed, contents.slice(0, 1));
      assert.deepStrictEqual(alone, read("15:00").slice(0, 1));
    }),
  );
});
