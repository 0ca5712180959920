/**
 * Runs long reads of a workspace with many devices, eight at a time, and measures the reads, writes and
 * events of another one (contract running.neighbours). Prints the ratio to the same without them; exit code 1
 * if one is over the bar. Only for a server on this machine.
 *
 *     node scripts/attack/neighbours.ts http://127.0.0.1:8080 OPERATOR_KEY [DEVICES, 50,000 if left out]
 */
import { Effect } from "effect";
import { execFile } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { abilities, longReads, measure, neighbour } from "../bench/LongReadLoad.ts";
import { atMost } from "../bench/Rounds.ts";
import { ask, geoCampaign, send, type ServiceWorkspace } from "../bench/ServiceApi.ts";

const bar = 2;
const millis = 5_000;
const [address = "", operatorKey = "", devices = "50000"] = process.argv.slice(2);
const url = URL.parse(address);
if (url === null || !["127.0.0.1", "localhost", "[::1]"].includes(url.hostname) || operatorKey === "") {
  throw new Error(
    "Give the address of a server on this machine, such as http://127.0.0.1:8080, and its key.",
  );
}
const workspaces = `${url.origin}/operator/v1/workspaces`;

/** Makes a workspace without limits of requests, with a token of Production. */
const newWorkspace = async (): Promise<ServiceWorkspace> => {
  const plan = {
    max_campaigns: 1_000,
    max_locations: 1_000,
    production_requests_per_minute: null,
    production_writes_per_minute: null,
    production_requests_per_day: 1_000_000_000,
  };
  const name = "Trial";
  const { id } = await send("POST", workspaces, operatorKey, { name, plan });
  const operator = `${workspaces}/${id}`;
  await send("PATCH", operator, operatorKey, { platform_api_enabled: true });
  const draft = { name, environment: "production", abilities };
  const { token } = await send("POST", `${operator}/tokens`, operatorKey, draft);
  const { sdk_key: sdkKey } = await send("POST", `${operator}/production/sdk-keys`, operatorKey, { name });
  const [platform, device] = [`${url.origin}/platform/v1`, `${url.origin}/device/v1`];
  return { id, token, sdkKey, operator, platform, device };
};

/** Imports devices, and makes what the long reads are about. */
const fill = Effect.fnUntraced(function* (workspace: ServiceWorkspace) {
  const { operator, platform, token } = workspace;
  const client = join(import.meta.dirname, "../bench/DeviceClient.ts");
  const parameters = [client, `${operator}/production/devices/import`, operatorKey, devices, "csv"];
  yield* Effect.promise(() => promisify(execFile)(process.execPath, parameters));
  const { location } = yield* geoCampaign(workspace);
  const rule = { match: "all", conditions: [{ attribute: "visits", op: "gte", value: 45 }] };
  const segment = yield* ask(`${platform}/segments`, token, { name: "Frequent visitors", rule });
  const [device] = yield* Effect.promise(async () => {
    const response = await fetch(`${platform}/devices?limit=1`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return ((await response.json()) as { readonly data: ReadonlyArray<{ readonly id: string }> }).data;
  });
  return { device: device?.id ?? "", location, segments: [segment.id] };
});

const trial = Effect.gen(function* () {
  const [large, small] = yield* Effect.promise(() => Promise.all([newWorkspace(), newWorkspace()]));
  const kinds = longReads(large, yield* fill(large));
  const next = yield* neighbour(small);
  yield* measure(next, null, millis);
  for (const [name, reads] of Object.entries(kinds)) {
    const quiet = yield* measure(next, null, millis);
    const loaded = yield* measure(next, reads, millis);
    console.log(
      `${name.padEnd(11)} p99 of the neighbour ${loaded.p99.toFixed(1)} ms, quiet ` +
        `${quiet.p99.toFixed(1)} ms, ratio ${atMost(loaded.p99 / quiet.p99, bar)}; ` +
        `${loaded.longReads.length} long reads`,
    );
  }
  for (const { operator } of [large, small])
    yield* ask(operator, operatorKey, { deletion_scheduled: true }, "PATCH");
});

await Effect.runPromise(trial);
