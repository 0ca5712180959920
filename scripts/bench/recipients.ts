/**
 * How long the first page of a campaign's recipients takes, by outcome, with BENCH_ROWS (1,000,000 if unset)
 * deliveries: of a send and of events, where an outcome is common and where a handful have it, beside as many
 * newer deliveries of another campaign.
 */
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { CampaignRecipients } from "../../src/sending/recipients/CampaignRecipients.ts";
import { RecipientOutcome } from "../../src/sending/recipients/RecipientsApi.ts";
import { searchPattern } from "../../src/wire/SearchText.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { onSchema } from "./BenchDatabase.ts";
import { runBench } from "./BenchWorld.ts";
import { figure, median, millisOf, setting } from "./Rounds.ts";

const rows = setting("ROWS", 1_000_000);
/** Deliveries of one statement: a session that says nothing for a minute is given up. */
const chunk = Math.min(rows, 100_000);
const own = "1 AS workspace_id, 'production' AS environment";

/** Each campaign, with one of how many deliveries is failed, held, queued, opened, clicked and answered. */
const common = { failed: 50, held: 101, queued: 23, opened: 3, clicked: 10, answered: 20 };
const few = Math.floor(rows / 4);
const rare = {
  failed: few,
  held: few + 3,
  queued: few + 5,
  opened: few + 7,
  clicked: few + 7,
  answered: few + 7,
};
const campaigns = [
  { name: "a send, common", type: "push", shares: common },
  { name: "a send, rare", type: "push", shares: rare },
  { name: "events, common", type: "geo", shares: common },
  { name: "events, rare", type: "geo", shares: rare },
  { name: "another", type: "push", shares: common },
] as const;

const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const run = (text: string) => sql`${sql.literal(text)}`.unprepared;
  yield* run(`INSERT INTO workspace (public_id, name, timezone, created_at, updated_at)
    VALUES (gen_random_uuid(), 'Bench', 'UTC', '2025-01-01Z', '2025-01-01Z')`);
  yield* run(`INSERT INTO tenant SELECT 1, e FROM unnest(ARRAY['sandbox', 'production']) e
    ON CONFLICT DO NOTHING`);
  yield* run(`INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport,
      token_digest, registered_at, last_seen_at, user_id)
    SELECT ${own}, n, gen_random_uuid(), 'device-' || n, 'web', 'inbox', decode(repeat('00', 32), 'hex'),
      '2026-01-01Z', '2026-01-01Z', 'user-' || n FROM generate_series(1, ${rows}) n`);
  yield* run(`INSERT INTO content (workspace_id, environment, notification_id, type, headline, body,
      questions,
      created_at) SELECT ${own}, gen_random_uuid(), 'survey', 'h', 'b', '[]', '2026-01-01Z'`);
  for (const [index, { name, shares, type }] of campaigns.entries()) {
    const key = index + 1;
    const isPush = type === "push";
    const source = isPush ? `${key}::bigint * 100000000` : `${key}::bigint * 100000000 + n`;
    yield* run(`INSERT INTO campaign (workspace_id, environment, id, name, type, timezone, starts_at, ends_at,
        created_at, updated_at) SELECT ${own}, gen_random_uuid(), '${name}', '${type}', 'UTC', '2026-01-01Z',
        '2027-01-01Z', '2026-01-01Z', '2026-01-01Z'`);
    const status = `CASE WHEN n % ${shares.failed} = 0 THEN 'failed' WHEN n % ${shares.held} = 0 THEN 'held'
      WHEN n % ${shares.queued} = 0 THEN 'queued' ELSE 'delivered' END`;
    const at = (share: number) => `CASE WHEN n % ${share} = 1 THEN '2026-02-01Z'::timestamptz END`;
    for (let first = 1; first <= rows; first += chunk)
      yield* run(`INSERT INTO delivery (workspace_id, environment, source_id, device_key, campaign_key,
          notification_key, content_key, content_type, trigger_type, location_key, transport, status,
          created_at,
          held_until, settled_at, opened_at, clicked_at)
        SELECT ${own}, ${source}, n, ${key}, ${key}, 1, 'survey', '${isPush ? "fixed_time" : "on_enter"}',
          ${isPush ? "NULL::int" : "1"}, 'inbox', status, '2026-01-01Z'::timestamptz + n * interval '1 ms',
          CASE WHEN status = 'held' THEN '2026-03-01Z'::timestamptz END,
          CASE WHEN status IN ('delivered', 'failed') THEN '2026-02-01Z'::timestamptz END,
          COALESCE(${at(shares.opened)}, ${at(shares.clicked)}), ${at(shares.clicked)}
        FROM (SELECT n, ${status} AS status FROM generate_series(${first}, ${first + chunk - 1}) n) AS made`);
    yield* run(`INSERT INTO push_queue (workspace_id, environment, source_id, device_key, transport, due_at)
      SELECT workspace_id, environment, source_id, device_key, 'fcm', created_at FROM delivery
      WHERE campaign_key = ${key} AND status = 'queued'`);
    yield* run(`INSERT INTO survey_response (workspace_id, environment, notification_key, campaign_key,
        device_key, content_key, answers, first_answered_at, answered_at)
      SELECT ${own}, ${key}, ${key}, n, 1, '[]', '2026-02-01Z', '2026-02-01Z'
      FROM generate_series(1, ${rows}) n WHERE n % ${shares.answered} = 1`);
    if (isPush)
      yield* run(`INSERT INTO send (workspace_id, environment, id, campaign_id, campaign_key, notification_id,
          notification_key, due_at, status, source_id, content_key, content_type, targeted, delivered,
          started_at)
        SELECT ${own}, gen_random_uuid(), id, key, gen_random_uuid(), key, '2026-01-01Z', 'running',
          key::bigint * 100000000, 1, 'survey', ${rows}, 1, '2026-01-01Z' FROM campaign WHERE key = ${key}`);
  }
  for (const table of ["device", "delivery", "push_queue", "survey_response", "send"])
    yield* run(`VACUUM ANALYZE ${table}`);
});

const bench = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const recipients = yield* CampaignRecipients;
  yield* fill;
  const tenant = { workspaceId: 1, environment: "production" } as unknown as Tenant;
  const stored = yield* sql<{ readonly id: string; readonly key: number; readonly name: string }>`
    SELECT id, key, name FROM campaign ORDER BY key LIMIT 4`;
  const selections = [
    [undefined, undefined] as const,
    ...RecipientOutcome.literals.map((outcome) => [outcome, undefined] as const),
    [undefined, "device-77777"] as const,
    ["opened", "device"] as const,
  ];
  for (const campaign of stored) {
    const slowest = { outcomes: 0, searches: 0 };
    for (const [outcome, q] of selections) {
      const selection = { outcome, search: searchPattern(q) };
      const page = recipients.page(tenant, campaign, { before: null, limit: 21 }, selection);
      const kind = q === undefined ? "outcomes" : "searches";
      slowest[kind] = Math.max(slowest[kind], median(yield* millisOf(7, page)));
    }
    const id = campaign.name.replaceAll(/[ ,]+/g, "-");
    const what = `the slowest first page of recipients of ${campaign.name}`;
    figure(id, `${what}, by outcome`, "ms", slowest.outcomes, { atMost: 100 });
    figure(`${id}-search`, `${what}, by a search`, "ms", slowest.searches, { atMost: 2_000 });
  }
});

runBench(Effect.provide(bench, onSchema(CampaignRecipients.layer)), { settings: { max_wal_size: "4GB" } });
