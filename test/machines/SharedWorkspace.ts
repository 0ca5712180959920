import { Clock, Effect } from "effect";
import { SqlClient } from "effect/sql";
import { instant } from "../../src/database/Rows.ts";
import { addDays } from "../../src/time/DayNumbers.ts";
import { dateAt } from "../../src/time/LocalTime.ts";
import { pointFeature } from "../locations/Features.ts";
import type { LocalService } from "../sending/push/PushServers.ts";
import { asker, unlimited } from "../TestWaypost.ts";
import { given, ok } from "../given/Given.ts";
import { type Machine, operatorOf } from "./Machines.ts";

/**
 * Devices that only sends reach, with and without a push token. There are more pushes than two workers have
 * in flight (512 each), so that both have some.
 */
export const crowd = { pushed: 1_200, silent: 100 };
/** The device keys span ten batches, more than there are workers. */
const lastKey = 100_000;
/** The longitudes of the locations, at latitude 52. */
export const longitudes = [4, 5, 6];

/**
 * Makes a workspace in Production through one process: locations, a geo campaign on their group, scheduled
 * sends, credentials of a push service, and the devices of `crowd`.
 */
export const makeSharedWorkspace = Effect.fnUntraced(function* (
  machine: Machine,
  service: LocalService,
  sends: number,
) {
  const sql = yield* SqlClient.SqlClient;
  const operator = operatorOf(machine);
  const plan = { ...unlimited, max_campaigns: null };
  const { id } = ok(yield* operator("/workspaces", { body: { name: "Shared", plan } }));
  const base = `/workspaces/${id}`;
  ok(yield* operator(base, { method: "PATCH", body: { platform_api_enabled: true } }));
  const abilities = ["campaigns:write", "notifications:write", "locations:write", "reports:read"];
  const token = { name: "Test", environment: "production", abilities };
  const issued = ok(yield* operator(`${base}/tokens`, { body: token }));
  const { sdk_key } = ok(yield* operator(`${base}/production/sdk-keys`, { body: { name: "App" } }));
  const transport = `${base}/production/transports/${service.transport}`;
  ok(yield* operator(transport, { method: "PUT", body: service.credentials }));

  const make = given(asker(`${machine.origin}/platform/v1`, issued.token));
  const locations = yield* make.locations(
    ...longitudes.map((longitude) =>
      pointFeature({ name: `Store ${longitude}`, group: "Stores" }, [longitude, 52]),
    ),
  );
  const today = dateAt("UTC" as never, yield* Clock.currentTimeMillis);
  const geo = yield* make.campaign({ starts_at: today, location_group_names: ["Stores"] });
  yield* make.notification(geo);
  const push = yield* make.push({ starts_at: addDays(today, 2) });
  for (let hour = 0; hour < sends; hour++) yield* make.sent(push, `${String(hour).padStart(2, "0")}:00`);

  const count = crowd.pushed + crowd.silent;
  yield* sql`
    INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport, address,
      token_digest, registered_at, last_seen_at)
    SELECT t.workspace_id, t.environment, n * ${lastKey / count}::float8, gen_random_uuid(), 'crowd-' || n,
      'android', CASE WHEN n <= ${crowd.pushed}::int THEN 'fcm' ELSE 'inbox' END,
      CASE WHEN n <= ${crowd.pushed}::int THEN jsonb_build_object('token', 'crowd-' || n) END,
      decode(repeat('00', 32), 'hex'), '2026-01-01Z', '2026-01-01Z'
    FROM workspace w JOIN tenant t ON t.workspace_id = w.id AND t.environment = 'production',
      generate_series(1, ${count}::int) AS n
    WHERE w.public_id = ${id}`;
  yield* sql`UPDATE tenant SET last_device_key = ${lastKey} WHERE environment = 'production'`;

  return {
    token: issued.token as string,
    tokenId: issued.id as string,
    sdkKey: sdk_key as string,
    /** The id of the workspace. */
    id: id as string,
    locations,
    /** Makes the next scheduled send due now. */
    startSend: Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => sql`
        UPDATE send SET due_at = ${instant(now)}
        WHERE (workspace_id, environment, id) = (
          SELECT workspace_id, environment, id FROM send WHERE status = 'scheduled' ORDER BY due_at LIMIT 1)`,
    ),
    /** The sends that were started, oldest first. */
    sends: sql<{ readonly status: string; readonly targeted: number; readonly delivered: number }>`
      SELECT status, targeted, delivered FROM send WHERE status <> 'scheduled' ORDER BY source_id`,
  };
});

/** The workspace that `makeSharedWorkspace` makes. */
export type SharedWorkspace = Effect.Success<ReturnType<typeof makeSharedWorkspace>>;
