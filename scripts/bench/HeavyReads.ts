/** The long reads of one workspace, for the bench of tenants. */
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { insertDevices, insertLocations, workspaceKey } from "./BenchRows.ts";
import type { PacedRequest } from "./PacedLoad.ts";
import { ask, geoCampaign, pushCampaign, type ServiceWorkspace } from "./ServiceApi.ts";

const locations = 20_000;

/**
 * Fills a workspace with so many devices. Gives the next request of each kind of long read, each different
 * from the one before where it could be kept.
 */
export const longReads = Effect.fnUntraced(function* (workspace: ServiceWorkspace, devices: number) {
  const sql = yield* SqlClient.SqlClient;
  const { platform, token } = workspace;
  const key = yield* workspaceKey(workspace.id);
  yield* insertDevices(key, 1, devices);
  yield* sql`
    UPDATE device SET attributes = jsonb_build_object('plan', (ARRAY['gold', 'silver', 'free'])[key % 3 + 1],
      'visits', key % 90, 'city', 'city ' || key % 500,
      'likes', jsonb_build_array('tea', 'item ' || key % 40))
    WHERE workspace_id = ${key}`;
  yield* insertLocations(key, locations);
  let count = 0;
  const rule = () => ({
    match: "all",
    conditions: [{ attribute: "city", op: "contains", value: String(count++) }],
  });
  const segments: Array<string> = [];
  for (let n = 0; n < 20; n++)
    segments.push((yield* ask(`${platform}/segments`, token, { name: `Segment ${n}`, rule: rule() })).id);
  const { location } = yield* geoCampaign(workspace);
  for (let n = 0; n < 10; n++) yield* pushCampaign(workspace, { name: `Push ${n}` });
  yield* sql`VACUUM ANALYZE`.unprepared;
  const [device] = yield* sql<{ readonly id: string }>`
    SELECT id FROM device WHERE workspace_id = ${key} AND key = 1`;
  const get = (path: () => string) => (): PacedRequest => ({
    method: "GET",
    url: `${platform}${path()}`,
    token,
  });
  const post = (path: string, body: () => object) => (): PacedRequest => ({
    method: "POST",
    url: `${platform}${path}`,
    token,
    body: JSON.stringify(body()),
  });
  return {
    attributes: get(() => "/attributes"),
    counts: post("/segments/count", () => ({ rule: rule() })),
    estimates: post("/campaigns/estimate", () => ({
      type: "geo",
      location_ids: [location],
      segment_ids: [segments[count++ % segments.length]],
    })),
    devices: get(() => `/devices?q=${count++}`),
    segments: get(() => `/segments?limit=${1 + (count++ % 20)}`),
    near: get(() => `/locations?near=52.5,5.${count++ % 10}&radius_meters=100000`),
    explain: get(() => `/devices/${device?.id}/explain`),
    csv: get(() => "/devices?format=csv"),
    reports: get(() => "/reports/summary?start=2026-01-01&end=2026-12-31"),
  };
});
