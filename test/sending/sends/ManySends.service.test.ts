import { assert, layer } from "@effect/vitest";
import { Deferred, Effect, Fiber } from "effect";
import { SqlClient } from "effect/sql";
import { at, batch, blockedBatch, drain, manualWorkers, start } from "../ManualWorkers.ts";
import { sendWorld } from "./SendWorld.ts";

/** Sends of campaigns of their own at 12:30, to so many devices each. */
const sendsOf = (count: number, devices: number) =>
  Effect.gen(function* () {
    const { production, workspace } = yield* sendWorld();
    yield* production.crowd(devices);
    const campaigns: Array<string> = [];
    for (let index = 0; index < count; index++) {
      const campaign = yield* production.push();
      yield* production.sent(campaign, "12:30");
      campaigns.push(campaign);
    }
    yield* at("2026-11-21T12:30:00Z");
    /** Status and deliveries of each campaign's send, in order. */
    const figures = Effect.map(production.sends(), (sends) =>
      campaigns.map((campaign) => {
        const send = sends.find((each) => each.campaign_id === campaign);
        return `${send.status} ${send.targeted} ${send.delivered}`;
      }),
    );
    return { ...production, workspace, campaigns, figures };
  });

layer(manualWorkers)("Many sends at once", (it) => {
  it.effect("small batches of several sends run together, up to the size of a full batch (L2.1)", () =>
    Effect.gen(function* () {
      const { deliveries, figures } = yield* sendsOf(5, 3);
      yield* start;
      yield* batch;
      // Three times three devices are at most ten.
      assert.deepStrictEqual((yield* figures).toSorted(), [
        ...Array<string>(3).fill("done 3 3"),
        ...Array<string>(2).fill("running 0 0"),
      ]);
      yield* batch;
      assert.deepStrictEqual(yield* figures, Array<string>(5).fill("done 3 3"));
      assert.isFalse(yield* batch);
      assert.deepStrictEqual(
        (yield* deliveries).map(({ count }) => count),
        [5, 5, 5],
      );
    }),
  );

  it.effect("a send that is stopped while its batch runs with others does not stop these (L3.2)", () =>
    Effect.gen(function* () {
      const { ask, campaigns, deliveries, figures } = yield* sendsOf(3, 3);
      yield* start;
      const { release, worker } = yield* blockedBatch;
      assert.strictEqual((yield* ask(campaigns[1] ?? "", "pause")).status, 200);
      yield* release;
      yield* Fiber.join(worker);
      assert.deepStrictEqual(yield* figures, ["done 3 3", "skipped 0 0", "done 3 3"]);
      assert.deepStrictEqual(
        (yield* deliveries).map(({ count }) => count),
        [2, 2, 2],
      );
    }),
  );

  it.effect(
    "a campaign whose sends cannot start does not hold up the others, and is tried again (L2.1)",
    () =>
      Effect.gen(function* () {
        const { campaigns, figures } = yield* sendsOf(3, 3);
        const sql = yield* SqlClient.SqlClient;
        yield* sql`
        CREATE FUNCTION refuse_start() RETURNS trigger LANGUAGE plpgsql
        AS 'BEGIN RAISE EXCEPTION ''no''; END'`;
        yield* sql`
        CREATE TRIGGER refuse_start BEFORE UPDATE ON send FOR EACH ROW
        WHEN (NEW.campaign_id = '${sql.literal(campaigns[1] ?? "")}') EXECUTE FUNCTION refuse_start()`;
        yield* start;
        yield* drain;
        assert.deepStrictEqual(yield* figures, ["done 3 3", "scheduled 0 0", "done 3 3"]);
        yield* sql`DROP TRIGGER refuse_start ON send`;
        yield* start;
        yield* drain;
        assert.deepStrictEqual(yield* figures, Array<string>(3).fill("done 3 3"));
      }).pipe(Effect.orDie),
  );

  it.effect("the search of a send's audience has five minutes", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      yield* production.phone();
      const rule = { match: "any", conditions: [{ attribute: "vip", op: "ne", value: true }] };
      const segment = yield* production.platform("/segments", { body: { name: "All", rule } });
      assert.strictEqual(segment.status, 201, JSON.stringify(segment.body));
      const campaign = yield* production.push({ segmentation_ids: [segment.body.data.id] });
      yield* production.sent(campaign, "12:30");
      yield* at("2026-11-21T12:30:00Z");
      yield* start;
      const sql = yield* SqlClient.SqlClient;
      yield* sql`
        CREATE FUNCTION check_timeout() RETURNS trigger LANGUAGE plpgsql AS '
        BEGIN
          IF current_setting(''statement_timeout'') <> ''5min'' THEN RAISE EXCEPTION ''no time''; END IF;
          RETURN NULL;
        END'`;
      yield* sql`
        CREATE TRIGGER check_timeout BEFORE INSERT ON send_batch EXECUTE FUNCTION check_timeout()`;
      yield* drain;
      yield* sql`DROP TRIGGER check_timeout ON send_batch`;
      assert.deepInclude((yield* production.sends())[0], { status: "done" });
    }).pipe(Effect.orDie),
  );

  it.effect(
    "batches of a segment reach its devices alone, near or far apart, each in its zone (L6.1, P2.8)",
    () =>
      Effect.gen(function* () {
        const { production } = yield* sendWorld();
        yield* production.crowd(20, { iosEvery: 2 });
        yield* production.crowd(100, { iosEvery: 10 });
        const sql = yield* SqlClient.SqlClient;
        const own = sql`workspace_id = ${production.workspaceId}`;
        yield* sql`UPDATE device SET timezone = 'Asia/Tokyo' WHERE ${own} AND key % 4 = 0`;
        const rule = { match: "any", conditions: [{ attribute: "platform", op: "eq", value: "ios" }] };
        const segment = yield* production.platform("/segments", { body: { name: "iOS", rule } });
        const campaign = yield* production.push({
          segmentation_ids: [segment.body.data.id],
          quiet_hours: { from: "20:00", to: "08:00", action: "hold" },
        });
        yield* production.sent(campaign, "12:30");
        yield* at("2026-11-21T12:30:00Z");
        yield* start;
        yield* drain;
        const near = [2, 6, 10, 14, 18];
        const far = [30, 50, 70, 90, 110];
        const held = [4, 8, 12, 16, 20, 40, 60, 80, 100, 120];
        const made = yield* sql`
          SELECT status, array_agg(device_key ORDER BY device_key) AS keys FROM delivery
          WHERE ${own} GROUP BY 1 ORDER BY 1`;
        assert.deepStrictEqual(made, [
          { status: "delivered", keys: [...near, ...far] },
          { status: "held", keys: held },
        ]);
        const deltas = yield* sql`
          SELECT status, trigger_type, device_keys AS keys FROM delivery_delta WHERE ${own} ORDER BY id`;
        assert.deepStrictEqual(
          deltas,
          [near, far].map((keys) => ({ status: "delivered", trigger_type: "fixed_time", keys })),
        );
        assert.deepInclude((yield* production.sends())[0], { targeted: 20, delivered: 10, held: 10 });
      }).pipe(Effect.orDie),
  );

  it.effect("a batch that fails does not hold up those that run with it", () =>
    Effect.gen(function* () {
      const { campaigns, figures } = yield* sendsOf(3, 3);
      const sql = yield* SqlClient.SqlClient;
      yield* start;
      yield* sql`
        CREATE FUNCTION refuse_delivery() RETURNS trigger LANGUAGE plpgsql
        AS 'BEGIN RAISE EXCEPTION ''no''; END'`;
      yield* sql`
        CREATE TRIGGER refuse_delivery BEFORE UPDATE ON send FOR EACH ROW
        WHEN (NEW.campaign_id = '${sql.literal(campaigns[1] ?? "")}') EXECUTE FUNCTION refuse_delivery()`;
      assert.strictEqual((yield* Effect.exit(batch))._tag, "Failure");
      assert.deepStrictEqual(yield* figures, ["done 3 3", "running 0 0", "done 3 3"]);
      yield* sql`DROP TRIGGER refuse_delivery ON send`;
      // Its lease has expired.
      yield* at("2026-11-21T12:30:10Z");
      yield* drain;
      assert.deepStrictEqual(yield* figures, Array<string>(3).fill("done 3 3"));
    }).pipe(Effect.orDie),
  );

  it.effect(
    "a campaign that a request has locked holds up no other, and starts at the next poll (L2.1)",
    () =>
      Effect.gen(function* () {
        const { campaigns, figures } = yield* sendsOf(3, 3);
        const sql = yield* SqlClient.SqlClient;
        const [locked, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()];
        const request = yield* Effect.forkChild(
          Effect.gen(function* () {
            yield* sql`SELECT FROM campaign WHERE id = ${campaigns[0] ?? ""} FOR UPDATE`;
            yield* Deferred.succeed(locked, undefined);
            yield* Deferred.await(released);
          }).pipe(sql.withTransaction),
        );
        yield* Deferred.await(locked);
        yield* start;
        yield* drain;
        assert.deepStrictEqual(yield* figures, ["scheduled 0 0", "done 3 3", "done 3 3"]);
        yield* Deferred.succeed(released, undefined);
        yield* Fiber.join(request);
        yield* start;
        yield* drain;
        assert.deepStrictEqual(yield* figures, Array<string>(3).fill("done 3 3"));
      }).pipe(Effect.orDie),
  );
});
