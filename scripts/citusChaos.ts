/**
 * Kills nodes of a Citus cluster by `kill -9`, all processes of a node at once, while sends run, devices
 * report events, and people write under an `Idempotency-Key`. Before half of the kills a node is suspended
 * for a moment, so that more transactions are in the middle of their commit. Killed nodes start again. Then
 * every device must have one delivery of each send, every event and every write must be there once, and
 * reports and webhooks must say the same. A push may have arrived twice only if it was in flight at a kill.
 * Exit code 1 if not.
 *
 *     node scripts/citusChaos.ts --nodes COORDINATOR,WORKER,WORKER --pg-ctl /usr/lib/…/pg_ctl
 *       --run-as postgres --user waypost --kills 50 --seed 1
 *
 * Nodes are the data directories of running servers on loopback, whose `user` needs no password. The database
 * is one of its own on each node, which is dropped at the end.
 */
import { Effect, Random } from "effect";
import { SqlClient } from "effect/sql";
import { spawnSync } from "node:child_process";
import process from "node:process";
import { parseArgs } from "node:util";
import { ask } from "./bench/ServiceApi.ts";
import {
  ChaosRun,
  type Faults,
  runScenario,
  settles,
  spread,
  startApi,
  startTimeoutMillis,
  until,
} from "./chaos/ChaosRun.ts";
import { chaosDatabase, nodesOf, preparedTransactions } from "./chaos/citus/ChaosDatabase.ts";
import { ClusterNode } from "./chaos/citus/ClusterNode.ts";
import { checkSends, checkWrites } from "./chaos/citus/ClusterVerdict.ts";
import { killNodes } from "./chaos/citus/NodeKills.ts";
import { Requests } from "./chaos/citus/Requests.ts";
import { prepareWriteWorld, reportEvents, reportingPhones, write, writers } from "./chaos/citus/WriteLoad.ts";
import { EventLedger } from "./chaos/EventLedger.ts";
import { LedgerServer } from "./chaos/LedgerServer.ts";
import { prepareSends } from "./chaos/PlannedSends.ts";
import { PushLedger } from "./chaos/PushLedger.ts";
import { repeatedPushes } from "./chaos/SendVerdict.ts";
import { unansweredPushes } from "./chaos/UnansweredPushes.ts";

const { values } = parseArgs({
  options: {
    nodes: { type: "string", default: "" },
    "pg-ctl": { type: "string", default: "pg_ctl" },
    "run-as": { type: "string" },
    user: { type: "string", default: "waypost" },
    kills: { type: "string", default: "50" },
    devices: { type: "string", default: "200" },
    workspaces: { type: "string", default: "3" },
    workers: { type: "string", default: "2" },
    seed: { type: "string", default: "1" },
  },
});
const kills = Number(values.kills);
const workspaces = Array.from({ length: Number(values.workspaces) });
/** Device keys are spread up to this: a send has three batches. */
const lastKey = 30_000;
const endTimeoutMillis = 300_000;
const database = `chaos_${process.pid}`;

const settled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const plain = yield* sql`
    SELECT FROM send WHERE status IN ('scheduled', 'running')
    UNION ALL SELECT FROM send_batch
    UNION ALL SELECT FROM webhook_event WHERE called < size
    UNION ALL SELECT FROM webhook_call LIMIT 1`;
  const queue = yield* sql`SELECT 1 FROM push_queue LIMIT 1`;
  const deltas = yield* sql<{ readonly count: number }>`
    SELECT (SELECT count(*) FROM delivery_delta)::int + (SELECT count(*) FROM event_delta)::int AS count`;
  return plain.length + queue.length + (deltas[0]?.count ?? 0) === 0 ? true : null;
});

const nodes = values.nodes
  .split(",")
  .filter(Boolean)
  .map((each) => new ClusterNode(each, values["pg-ctl"], values["run-as"]));
const inPreparation = preparedTransactions(nodes, values.user, database);

const chaos = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const dice = yield* Random.Random;
  const { exits, settings, start } = yield* ChaosRun;
  const pushes = yield* LedgerServer.listening(new PushLedger(() => 200 + Math.random() * 600));
  const webhooks = yield* LedgerServer.listening(new EventLedger(() => 0.5));
  const { origin } = yield* startApi;
  const sends = yield* Effect.forEach(workspaces, () =>
    prepareSends(origin, pushes.credentials, Number(values.devices), Math.ceil(kills / workspaces.length), {
      lastKey,
    }),
  );
  const writes = yield* Effect.forEach(workspaces, () => prepareWriteWorld(origin, webhooks.url));
  for (const { secret } of writes) webhooks.trust(secret);
  for (const { token } of sends) {
    const webhook = { url: webhooks.url, events: ["message.delivered"], batch: true };
    webhooks.trust((yield* ask(`${origin}/platform/v1/webhooks`, token, webhook)).secret);
  }
  for (const worlds of [sends, writes.map(({ world }) => world)]) {
    const found = yield* nodesOf(worlds.map(({ workspaceId }) => workspaceId));
    if (found.size < nodes.length - 1) console.log(`Only ${found.size} nodes have workspaces of one kind`);
  }
  const unanswered = yield* unansweredPushes;
  const workers = Array.from({ length: Number(values.workers) }, () => start("worker"));
  const listening = Effect.sync(() => (workers.every(({ listening }) => listening() !== null) ? true : null));
  yield* until("Listening workers", listening, startTimeoutMillis);

  const requests = new Requests();
  let isOver = false;
  const load = Promise.all(
    writes.flatMap(({ world }) => [
      ...reportingPhones(world).map((phone) => reportEvents(world, phone, requests, dice, () => isOver)),
      ...writers.map((writer) => write(world, writer, requests, dice, () => isOver)),
    ]),
  );
  let failure: unknown = null;
  load.catch((error: unknown) => (failure = error));
  const planned = Array.from({ length: Math.ceil(kills / sends.length) }, (_, round) =>
    sends.flatMap((each) => each.planned[round] ?? []),
  ).flat();
  const { disruptions, outages, prepared } = yield* killNodes(
    nodes,
    kills,
    planned,
    pushes,
    inPreparation,
    () => requests.successes,
  );
  // Sends that no kill started.
  yield* sql`UPDATE send SET due_at = now() WHERE status = 'scheduled'`;
  isOver = true;
  yield* Effect.promise(() => load.catch(() => undefined));
  const isDone = yield* settles("The end of all work", settled, endTimeoutMillis);
  const none = Effect.map(inPreparation, (count) => (count === 0 ? true : null));
  const areGone = yield* settles("The end of prepared transactions", none, 30_000);

  const faults: Faults = {};
  const worlds = writes.map(({ world }) => world);
  const { found, pushed } = yield* checkSends(origin, sends, pushes, webhooks, faults);
  yield* checkWrites(worlds, webhooks, faults);
  const { repeats, unexplained } = repeatedPushes(disruptions, pushes, unanswered);
  faults["pushes repeated without being uncertain"] = unexplained.length;
  faults["work that does not end"] = isDone ? 0 : 1;
  faults["prepared transactions that stay"] = areGone ? 0 : 1;
  faults["answers of 500"] = requests.statuses.get(500) ?? 0;
  faults["answers of 503 without Retry-After"] = requests.unadvised;
  faults["processes that exited"] = exits();
  faults["requests that were refused"] = failure === null ? 0 : 1;
  if (failure !== null) console.log(failure);
  for (const text of new Set(requests.errors)) console.log(text);
  const doctor = spawnSync(process.execPath, ["bin/waypost.js", "doctor"], {
    env: { PATH: process.env["PATH"] ?? "", ...settings },
    encoding: "utf8",
  });
  // Processes die, not the machine: the nodes may run without fsync, which makes restarts fast.
  const problems = doctor.stdout
    .split("\n")
    .filter((line) => line.includes("PROBLEM") && !line.includes("fsync is off"));
  faults["problems that the doctor finds"] = doctor.stdout.includes("Citus") ? problems.length : 1;
  for (const problem of problems) console.log(problem);

  const sum = (count: (world: (typeof worlds)[number]) => number) =>
    worlds.reduce((total, world) => total + count(world), 0);
  const figures = {
    "kills, and during a send": `${kills}, ${disruptions.filter((each) => each.isDuringSend).length}`,
    "kills that left prepared transactions": prepared,
    "from a restart to the next answer, median, max": spread(outages.map((millis) => millis / 1000)),
    "deliveries of sends": found,
    "pushes, of these repeated": `${pushed}, ${repeats.length}`,
    events: sum(({ events }) => events.size),
    opens: sum(({ opened }) => opened.size),
    "campaigns and segments": sum(({ names }) => names.size),
    "test messages": sum(({ tests }) => tests.size),
    approvals: sum(({ approvals }) => approvals.reduce((total, count) => total + count, 0)),
    registrations: sum(({ installations }) => installations.size),
    "events of webhooks": webhooks.events.size,
    "answers by status (0: none)": [...requests.statuses].map((each) => each.join(": ")).join(", "),
  };
  return { figures, faults };
});

runScenario({
  seed: values.seed,
  database: () => Effect.map(chaosDatabase(nodes, values.user, database), (url) => ({ url })),
  run: chaos,
});
