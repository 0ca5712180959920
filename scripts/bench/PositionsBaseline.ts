/**
 * The baseline for a position without enter or exit, with the least possible work: node:http, `pg`, and one
 * prepared statement that stores the time of the last position. It has no tokens, locations, access log or
 * metrics, and neither reads nor locks anything.
 */
import { argument, pool, serve } from "./BaselineServer.ts";

const text = `
  INSERT INTO device_position (workspace_id, environment, device_key, recorded_at)
  VALUES ($1, 'production', $2, $3)
  ON CONFLICT (workspace_id, environment, device_key) DO UPDATE SET recorded_at = EXCLUDED.recorded_at`;

interface Position {
  readonly recorded_at: string;
}

serve(async (deviceKey, sent) => {
  const { positions } = JSON.parse(sent) as { readonly positions: [Position] };
  await pool.query({ name: "store", text, values: [argument, deviceKey, positions[0].recorded_at] });
  return JSON.stringify({ data: { accepted: 1, stale: 0, rejected: [], transitions: [], deliveries: [] } });
});
