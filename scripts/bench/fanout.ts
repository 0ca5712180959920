/**
 * The bar of fixed sends: a send to 100,000 and to 1,000,000 inboxes creates at least 0.8 times as many
 * deliveries a second as one bare `INSERT INTO delivery SELECT … FROM device` of the same rows with the same
 * indexes, measured alternately on one durable PostgreSQL. The rate is flat over both sizes, and requests
 * meanwhile have a p99 of 30 ms. A send with quiet hours and a cap by user has at least 0.85 of the rate of
 * one without. BENCH_TEXTS=1 measures only sends whose texts differ by device, and the size of their
 * deliveries. BENCH_LIMITS=1 measures only sends with quiet hours and a cap. BENCH_ARMS=1 measures only a
 * send with a holdout and two variants, which has at least 0.9 of the rate without, in devices, beside a bare
 * insert of the same deliveries and enrolments.
 */
import { Clock, Effect } from "effect";
import { SqlClient } from "effect/sql";
import process from "node:process";
import { instant, jsonb } from "../../src/database/Rows.ts";
import { experiment, reachedOf } from "../chaos/ExperimentLedger.ts";
import { insertDevices, workspaceKey } from "./BenchRows.ts";
import { BenchWorld, each, runBench } from "./BenchWorld.ts";
import { bare, type Campaign, populate, send } from "./FanoutSides.ts";
import { type PacedRequest, pacedLoad, quantile } from "./PacedLoad.ts";
import { newWorkspace, pushCampaign, registerDevices } from "./ServiceApi.ts";
import { alternately, figure, median, setting } from "./Rounds.ts";

const bar = 0.8;
const maxP99 = 30;
/** The minimum rate at the largest size, as a share of that at the smallest. */
const flat = 0.8;
const connections = 8;
const sizes = (process.env["BENCH_SIZES"] ?? "100000,1000000").split(",").map(Number);
const rounds = setting("ROUNDS", 2);
/** The size of the sends and inserts during which requests are measured. */
const beside = setting("BESIDE", Math.max(...sizes));

/** Creates a push campaign with a message over HTTP, and inserts its devices. */
const prepare = Effect.fnUntraced(function* (origin: string) {
  const sql = yield* SqlClient.SqlClient;
  const abilities = ["campaigns:read", "campaigns:write", "notifications:write"];
  const workspace = yield* newWorkspace(origin, abilities);
  const { device, id, platform, token } = workspace;
  yield* pushCampaign(workspace);
  // A device for each connection, so that requests compete with the send only.
  const own = yield* registerDevices(workspace, connections);
  yield* insertDevices(yield* workspaceKey(id), connections + 1, Math.max(...sizes));
  const [numbers] = yield* sql<Campaign>`
    SELECT s.workspace_id, s.campaign_key, s.notification_key, n.content_key
    FROM send s JOIN notification n ON n.id = s.notification_id`;
  if (numbers === undefined) return yield* Effect.die(new Error("The campaign has no send"));
  const requests = own.flatMap(({ device_token }): ReadonlyArray<PacedRequest> => [
    { method: "GET", url: `${platform}/campaigns`, token },
    {
      method: "PATCH",
      url: `${device}/devices/me`,
      token: device_token,
      body: '{"locale":"nl-NL"}',
    },
    { method: "GET", url: `${device}/messages`, token: device_token },
  ]);
  yield* sql`UPDATE campaign SET starts_at = starts_at - interval '1 day'`;
  return { numbers, requests };
});

/** Quiet hours that always hold for some devices, and a cap by user. */
const limits = {
  none: { quiet: null, by: "device", cap: null },
  quiet: { quiet: { from: "20:00", to: "08:00", action: "hold" }, by: "device", cap: null },
  cap: { quiet: null, by: "user", cap: 3 },
  both: { quiet: { from: "20:00", to: "08:00", action: "hold" }, by: "user", cap: 3 },
} as const;

/** Gives the campaign limits. */
const restrict = Effect.fnUntraced(function* ({ by, cap, quiet }: (typeof limits)[keyof typeof limits]) {
  const sql = yield* SqlClient.SqlClient;
  yield* sql`
    UPDATE campaign SET quiet_hours = ${jsonb(quiet)}, cap_by = ${by}, frequency_cap_count = ${cap},
      frequency_cap_period = ${cap === null ? null : "day"}`;
});

/**
 * The rates of sends with quiet hours, with a cap by user and with both, as shares of one without, to the
 * same devices. A bare insert that holds half of its deliveries shows what the held ones cost.
 */
const restricted = Effect.fnUntraced(function* (numbers: Campaign, size: number) {
  yield* populate(size);
  const limited = (kind: keyof typeof limits) =>
    Effect.andThen(restrict(limits[kind]), Effect.ensuring(send(size), Effect.ignore(restrict(limits.none))));
  const sides = yield* alternately(
    rounds,
    {
      free: send(size),
      quiet: limited("quiet"),
      cap: limited("cap"),
      both: limited("both"),
      bare: bare(numbers, size),
      bareHeld: bare(numbers, size, undefined, true),
    },
    0,
  );
  const beside = ["a send without limits", sides.free] as const;
  const what = (with_: string) => `deliveries of a send with ${with_}, ${size.toLocaleString("en")} devices`;
  figure("limits", what("quiet hours and a cap by user"), "a second", sides.both, { beside, atLeast: 0.85 });
  figure("quiet", what("quiet hours"), "a second", sides.quiet, { beside });
  figure("cap", what("a cap by user"), "a second", sides.cap, { beside });
  figure("bare-held", "rows of a bare insert that holds half", "a second", sides.bareHeld, {
    beside: ["one that holds none", sides.bare],
  });
});

/** Texts that differ by device: the headline, and the translations. */
const texts = {
  literal: { headline: "Hello", translations: null },
  translated: { headline: "Hello", translations: { nl: { headline: "Hallo" } } },
  templated: {
    headline: "{{ device.attributes.name }}: {{ device.attributes.points }}",
    translations: null,
  },
} as const;

/** The rates of sends whose texts differ by device, and the bytes of their deliveries, freshly written. */
const differing = Effect.fnUntraced(function* (size: number) {
  const sql = yield* SqlClient.SqlClient;
  yield* sql`
    UPDATE device SET locale = 'nl-NL', timezone = 'Europe/Amsterdam', attributes = jsonb_build_object(
      'name', 'Ada ' || key, 'points', key % 1000, 'plan', 'gold', 'city', 'Amsterdam')`;
  yield* sql`VACUUM FULL ANALYZE device`.unprepared;
  const rate = Effect.fnUntraced(function* ({ headline, translations }: (typeof texts)[keyof typeof texts]) {
    const template = headline.includes("{{") ? "liquid" : null;
    yield* sql`
      UPDATE content SET headline = ${headline}, template = ${template},
        translations = ${jsonb(translations)}`;
    const sent = yield* send(size);
    yield* sql`VACUUM FULL delivery`.unprepared;
    const [row] = yield* sql<{ readonly bytes: number }>`
      SELECT pg_total_relation_size('delivery')::float8 AS bytes`;
    return { sent, megabytes: (row?.bytes ?? 0) / size };
  });
  const sides = yield* alternately(
    rounds,
    { literal: rate(texts.literal), translated: rate(texts.translated), templated: rate(texts.templated) },
    0,
  );
  for (const [name, runs] of Object.entries(sides)) {
    figure(name, `deliveries of a send of ${name} texts`, "a second", each(runs, "sent"));
    figure(`${name}-size`, `a million deliveries of ${name} texts`, "MB", each(runs, "megabytes"));
  }
});

const minArms = 0.9;

/** The rate in devices of a send with a holdout and two variants, beside that of one without. */
const withArms = Effect.fnUntraced(function* (numbers: Campaign, size: number) {
  const sql = yield* SqlClient.SqlClient;
  // The rows that have to be there, without finding out the arms: those of one device for each unit.
  const enrolments = sql`, enrolled AS (
    INSERT INTO enrolment (workspace_id, environment, campaign_key, unit_key, notification_key, is_first, arm,
      enrolled_at)
    SELECT ${numbers.workspace_id}::int, 'production', ${numbers.campaign_key}::int, key,
      ${numbers.notification_key}::int, true, 'control', ${instant(yield* Clock.currentTimeMillis)}
    FROM device
    WHERE workspace_id = ${numbers.workspace_id} AND environment = 'production' AND key <= ${size}
  )`;
  const [campaign] = yield* sql<{ readonly id: string }>`SELECT id FROM campaign`;
  const devices = yield* sql<{ readonly id: string }>`SELECT id FROM device WHERE key <= ${size}`;
  const targeted = reachedOf(campaign?.id ?? "", devices).length;
  const set = Effect.fnUntraced(function* (isOn: boolean) {
    const { holdout_percent } = experiment.campaign;
    const variants = jsonb(isOn ? experiment.notification.variants : null);
    yield* sql`UPDATE campaign SET holdout_percent = ${isOn ? holdout_percent : 0}, has_variants = ${isOn}`;
    yield* sql`UPDATE content SET variants = ${variants}`;
  });
  const arms = Effect.gen(function* () {
    yield* set(true);
    const rate = yield* send(size, targeted);
    yield* set(false);
    return rate;
  });
  const sides = yield* alternately(
    rounds,
    { free: send(size), arms, bare: bare(numbers, size), enrolling: bare(numbers, size, enrolments) },
    0,
  );
  figure("arms", "devices of a send with a holdout and two variants", "a second", sides.arms, {
    beside: ["a send without", sides.free],
    atLeast: minArms,
  });
  figure("arms-rows", "devices of the same", "a second", sides.arms, {
    beside: ["a bare insert that enrols all", sides.enrolling],
  });
});

const bench = Effect.gen(function* () {
  const { origin } = yield* BenchWorld.waypost();
  const { numbers, requests } = yield* prepare(origin);
  if (process.env["BENCH_ARMS"] === "1") return yield* withArms(numbers, beside);
  if (process.env["BENCH_TEXTS"] === "1") return yield* differing(beside);
  if (process.env["BENCH_LIMITS"] === "1") return yield* restricted(numbers, beside);
  const medians: Array<number> = [];
  for (const size of sizes) {
    const sides = yield* alternately(rounds, { bare: bare(numbers, size), send: send(size) }, 0);
    medians.push(median(sides.send));
    const what = `deliveries of a send to ${size.toLocaleString("en")} inboxes`;
    const beside = ["a bare insert with the deltas of reports", sides.bare] as const;
    figure(`send-${size}`, what, "a second", sides.send, { beside, atLeast: bar });
  }
  const [smallest = Number.NaN] = medians;
  if (medians.length > 1)
    figure("flat", "deliveries of the largest send", "a second", medians.at(-1) ?? Number.NaN, {
      beside: ["of the smallest", smallest],
      atLeast: flat,
    });
  const pause = yield* requestsDuring(requests, Effect.sleep("5 seconds"));
  const inserting = yield* requestsDuring(requests, bare(numbers, beside));
  const sending = yield* requestsDuring(requests, send(beside));
  const about = `a send to ${beside.toLocaleString("en")} inboxes`;
  figure("p50", `median of requests beside ${about}`, "ms", quantile(sending, 0.5), {
    beside: ["in a pause", quantile(pause, 0.5)],
  });
  figure("p99", `p99 of requests beside ${about}`, "ms", quantile(sending, 0.99), {
    beside: ["beside a bare insert", quantile(inserting, 0.99)],
    valueAtMost: maxP99,
  });
  yield* restricted(numbers, beside);
});

/** Sends requests at a modest pace during some work. Returns their durations in milliseconds, sorted. */
const requestsDuring = Effect.fnUntraced(function* <A, E, R>(
  requests: ReadonlyArray<PacedRequest>,
  work: Effect.Effect<A, E, R>,
) {
  let isOver = false;
  const load = pacedLoad(requests, connections, () => isOver);
  yield* work;
  isOver = true;
  return yield* Effect.promise(() => load);
});

runBench(bench);
