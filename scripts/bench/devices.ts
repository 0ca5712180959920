/**
 * The rate and the memory of an import of devices in one request, compared with bare INSERT … SELECT unnest
 * of the same rows, 2,000 a statement, on the same PostgreSQL with the same driver. The client is another
 * process. `BENCH_DEVICES` sets the number of rows. The bars: 20,000 rows a second, 100 MB of growth, and an
 * event loop that nothing holds for 50 ms. On a busy machine the microseconds of CPU a row say more.
 */
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { execFile } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { instant, unnested } from "../../src/database/Rows.ts";
import { idAt } from "../../src/wire/Ids.ts";
import { mebibytesOf } from "./BenchChild.ts";
import { workspaceKey } from "./BenchRows.ts";
import { BenchWorld, runBench } from "./BenchWorld.ts";
import { probed } from "./LoopProbe.ts";
import { newWorkspace, operatorKey } from "./ServiceApi.ts";
import { figure, setting, timed } from "./Rounds.ts";

const rows = setting("DEVICES", 1_000_000);
const batch = 2_000;

interface Imported {
  readonly summary: { readonly created: number; readonly updated: number };
}

const imported = (address: string, format: string) =>
  Effect.promise(async () => {
    const file = join(import.meta.dirname, "DeviceClient.ts");
    const parameters = [file, address, operatorKey, String(rows), format];
    return JSON.parse((await promisify(execFile)(process.execPath, parameters)).stdout) as Imported;
  });

const bareInsert = Effect.fnUntraced(function* (workspaceId: number) {
  const sql = yield* SqlClient.SqlClient;
  const now = 1_795_262_400_000;
  const digest = new Uint8Array(32);
  for (let from = 0; from < rows; from += batch) {
    const page = Array.from({ length: Math.min(batch, rows - from) }, (_, n) => from + n);
    yield* sql`
      INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport, address,
        approved, attributes, locale, timezone, user_id, token_digest, registered_at, last_seen_at)
      SELECT ${workspaceId}::int, 'sandbox', d.key, d.id, d.installation_id, 'android', 'fcm', d.address,
        false, d.attributes, 'nl-NL', 'Europe/Amsterdam', d.user_id, ${digest}, ${instant(now)},
        ${instant(now)}
      FROM ${unnested("d", page, {
        key: ["int4", (n) => n + 1],
        id: ["uuid", () => idAt(now)],
        installation_id: ["text", (n) => `device-${n}`],
        address: ["jsonb", (n) => ({ token: `registration-token-${n}` })],
        attributes: ["jsonb", (n) => ({ plan: "gold", visits: n % 90 })],
        user_id: ["text", (n) => `user-${n % 700_000}`],
      })}`;
  }
});

const bench = Effect.gen(function* () {
  const { folder } = yield* BenchWorld;
  const probe = join(folder, "probe");
  const { origin, pid } = yield* BenchWorld.waypost({ LOOP_PROBE: probe }, "waypost", "LoopProbe.ts");
  const { id, operator } = yield* newWorkspace(origin, ["campaigns:read"]);
  const address = `${operator}/production/devices/import`;
  const key = yield* workspaceKey(id);
  const bare = yield* BenchWorld.measured(process.pid, rows, timed(bareInsert(key)));
  for (const [format, what] of [
    ["csv", "created"],
    ["ndjson", "updated"],
  ] as const) {
    yield* Effect.promise(() => probed(pid, probe));
    const before = mebibytesOf(pid, "VmRSS");
    const work = timed(imported(address, format));
    const { cpu, databaseCpu, result, seconds } = yield* BenchWorld.measured(pid, rows, work);
    if (result.summary[what] !== rows)
      return yield* Effect.die(new Error(`The import ${what} not every device: ${JSON.stringify(result)}`));
    const { held } = yield* Effect.promise(() => probed(pid, probe));
    const growth = ((mebibytesOf(pid, "VmHWM") - before) * 1_048_576) / 1e6;
    const about = `an import of ${rows.toLocaleString("en")} devices, ${what} from ${format}`;
    const bars = what === "created" ? { rate: 20_000, memory: 100, held: 50 } : {};
    figure(what, about, "rows/s", rows / seconds, {
      beside: ["a bare insert", rows / bare.seconds],
      valueAtLeast: bars.rate,
    });
    figure(`${what}-cpu`, `CPU of a row, with PostgreSQL's: ${about}`, "µs", cpu + databaseCpu, {
      beside: ["a bare insert", bare.cpu + bare.databaseCpu],
    });
    figure(`${what}-memory`, `growth of memory by ${about}`, "MB", growth, { atMost: bars.memory });
    figure(`${what}-held`, `the event loop held by ${about}, at most`, "ms", held, { atMost: bars.held });
  }
});

runBench(bench);
