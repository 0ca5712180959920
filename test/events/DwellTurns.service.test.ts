import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { DwellPageSize } from "../../src/events/Dwells.ts";
import { createTrigger, dropTrigger } from "../database/OnCitus.ts";
import { after, withoutJobs } from "./DwellWorld.ts";
import { eventCampaign } from "./EventCampaignWorld.ts";

const pageSize = 20;
const crowd = 1000;

/** A campaign with a device, whose event is due in five minutes. */
const waiting = Effect.gen(function* () {
  const world = yield* eventCampaign({ delay_minutes: 5 });
  yield* world.happen(world.phone);
  return world;
});

/** Adds a thousand events that are due a minute earlier. */
const withCrowd = Effect.fnUntraced(function* ({ phone }: Effect.Success<typeof waiting>) {
  const sql = yield* SqlClient.SqlClient;
  yield* sql`INSERT INTO dwell SELECT (jsonb_populate_record(w, jsonb_build_object(
      'event_id', gen_random_uuid(), 'due_at', w.due_at - interval '1 minute'))).*
    FROM dwell w JOIN device d ON d.workspace_id = w.workspace_id AND d.key = w.device_key
    CROSS JOIN generate_series(1, ${crowd}::int) WHERE d.id = ${phone.id}`;
});

/** How many messages were made for one campaign before the last one of another. */
const madeBefore = (campaign: string, other: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const [row] = yield* sql<{ readonly before: number }>`
      SELECT count(*)::int AS before FROM delivery d JOIN campaign c ON c.key = d.campaign_key
        AND c.workspace_id = d.workspace_id AND c.environment = d.environment
      WHERE c.id = ${campaign} AND d.source_id < (
        SELECT max(o.source_id) FROM delivery o JOIN campaign k ON k.key = o.campaign_key
          AND k.workspace_id = o.workspace_id AND k.environment = o.environment WHERE k.id = ${other})`;
    return row?.before;
  });

layer(withoutJobs)("Turns of workspaces", (it) => {
  it.effect(
    "an event waits for one page of another workspace, however many are due there (running.turns)",
    () =>
      Effect.gen(function* () {
        const [busy, quiet] = [yield* waiting, yield* waiting];
        yield* withCrowd(busy);
        yield* after(5);
        const sql = yield* SqlClient.SqlClient;
        assert.deepStrictEqual(yield* sql`SELECT FROM dwell`, []);
        assert.strictEqual(yield* quiet.messages(), 1);
        assert.isAtMost((yield* madeBefore(busy.campaignId, quiet.campaignId)) ?? crowd, pageSize);
      }).pipe(Effect.provideService(DwellPageSize, pageSize)),
  );

  it.effect(
    "a workspace whose page fails waits alone, longer each time, until it works again (running.turns)",
    () =>
      Effect.gen(function* () {
        const [broken, sound] = [yield* waiting, yield* waiting];
        const sql = yield* SqlClient.SqlClient;
        yield* sql`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE 'refused'; END $$`.unprepared;
        const [device] = yield* sql<{ readonly workspace: number }>`
        SELECT workspace_id AS workspace FROM device WHERE id = ${broken.phone.id}`;
        yield* createTrigger(`refused BEFORE DELETE ON dwell FOR EACH ROW
        WHEN (OLD.workspace_id = ${device?.workspace ?? 0}) EXECUTE FUNCTION refuse()`);
        yield* after(5);
        assert.deepStrictEqual([yield* broken.messages(), yield* sound.messages()], [0, 1]);
        yield* dropTrigger("refused ON dwell");
        yield* after(0);
        assert.strictEqual(yield* broken.messages(), 0);
        yield* after(1);
        assert.strictEqual(yield* broken.messages(), 1);
      }),
  );
});
