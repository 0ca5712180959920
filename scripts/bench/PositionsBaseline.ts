/**
 * What is the least that could be written by hand for a position that shows no enter or exit: node:http, `pg`, and one prepared
 * statement that keeps when the device was last seen somewhere. It knows no tokens, places, access log or metrics, reads nothing, and
 * does not hold the device.
 */
import { answerBy, pool, told } from "./BaselineServer.ts";

const text = `
  INSERT INTO device_position (workspace_id, environment, device_key, recorded_at) VALUES ($1, 'production', $2, $3)
  ON CONFLICT (workspace_id, environment, device_key) DO UPDATE SET recorded_at = EXCLUDED.recorded_at`;

interface Position {
  readonly recorded_at: string;
}

answerBy(async (deviceKey, sent) => {
  const { positions } = JSON.parse(sent) as { readonly positions: [Position] };
  await pool.query({ name: "keep", text, values: [told, deviceKey, positions[0].recorded_at] });
  return JSON.stringify({ data: { accepted: 1, stale: 0, rejected: [], transitions: [], deliveries: [] } });
});
