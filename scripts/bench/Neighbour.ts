/**
 * A quiet tenant: reads, writes and events at a modest pace, and messages that are due, and how late each of
 * them is. `measure` runs them for a while, with work of another tenant beside them or without.
 */
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { Agent } from "node:http";
import { insertReporters, insertSends, workspaceKey } from "./BenchRows.ts";
import { exchange, type PacedRequest, quantile } from "./PacedLoad.ts";
import { ask, dayFromNow, geoCampaign, note, pushCampaign, type ServiceWorkspace } from "./ServiceApi.ts";

/** Work of another tenant; it ends soon after `stop` is true. */
export interface Heavy {
  /** Runs before each round, and is not measured. */
  readonly before?: Effect.Effect<unknown, unknown, SqlClient.SqlClient>;
  readonly work: (stop: () => boolean) => Promise<unknown>;
  /** Removes what a round has left. */
  readonly after?: Effect.Effect<unknown, unknown, SqlClient.SqlClient>;
}

/** The figures of the quiet tenant in a round: milliseconds, and counts. */
export interface Seen {
  readonly reads: ReadonlyArray<number>;
  readonly events: ReadonlyArray<number>;
  /** From the instant at which a message was due to its delivery. */
  readonly late: ReadonlyArray<number>;
  readonly failed: number;
  readonly lost: number;
}

const reporters = 1_000;
const delayMillis = 60_000;
/** Messages that become due in a round, half by delayed events and half by dwells. */
const dueInRound = 20;
/** How long a round waits for messages that are late. */
const graceMillis = 60_000;

type Kind = "reads" | "writes" | "events";

/** Makes the campaigns and devices of the quiet tenant. Gives its measurement. */
export const neighbour = Effect.fnUntraced(function* (workspace: ServiceWorkspace) {
  const sql = yield* SqlClient.SqlClient;
  const { device, platform, token } = workspace;
  const key = yield* workspaceKey(workspace.id);
  const phones = yield* insertReporters(key, reporters);
  const { location } = yield* geoCampaign(workspace);
  const campaignOf = Effect.fnUntraced(function* (name: string, fields: object, trigger: object) {
    const draft = { name, timezone: "UTC", starts_at: dayFromNow(0), ...fields };
    const { id } = yield* ask(`${platform}/campaigns`, token, draft);
    yield* ask(`${platform}/campaigns/${id}/notifications`, token, { ...note, ...trigger });
    return id;
  });
  const onEvent = (config: object) => ({ trigger_type: "on_event", trigger_config: config });
  const immediate = yield* campaignOf("At once", { type: "event" }, onEvent({ event: "opened" }));
  const waiting = yield* campaignOf("Later", { type: "event" }, onEvent({ event: "left", delay_minutes: 1 }));
  const dwelling = yield* campaignOf(
    "Visit",
    { type: "geo", location_ids: [location] },
    { trigger_type: "on_dwell", trigger_config: { minutes: 1 } },
  );
  const push = yield* pushCampaign(workspace);

  const post = (phone: number, event: object): PacedRequest => {
    const body = JSON.stringify({ events: [{ id: randomUUID(), ...event }] });
    return { method: "POST", url: `${device}/events`, token: phones[phone] ?? "", body };
  };
  const get = (path: string): PacedRequest => ({ method: "GET", url: `${platform}${path}`, token });
  let count = 0;
  const next = (): readonly [Kind, PacedRequest] => {
    const n = count++;
    const occurred_at = new Date();
    const phone = n % (reporters / 2);
    if (n % 24 === 0) return ["reads", get("/reports/summary?format=csv")];
    if (n % 4 === 0) return ["reads", get("/campaigns")];
    if (n % 4 === 1) return ["events", post(phone, { type: "enter", location_id: location, occurred_at })];
    if (n % 4 === 2) return ["events", post(phone, { type: "custom", name: "opened", occurred_at })];
    const body = JSON.stringify({ name: `Store ${n}` });
    return ["writes", { method: "PATCH", url: `${platform}/locations/${location}`, token, body }];
  };

  let lastDue = reporters / 2;
  /** Reports events of a minute ago, whose messages are due in the round. Gives the instants by device. */
  const reportDue = async (agent: Agent, millis: number): Promise<ReadonlyMap<number, number>> => {
    const due = new Map<number, number>();
    for (let n = 0; n < dueInRound; n++) {
      const at = Date.now() + 500 + (n * millis) / dueInRound / 2;
      const phone = lastDue++;
      const occurred_at = new Date(at - delayMillis);
      const event =
        n % 2 === 0
          ? { type: "custom", name: "left", occurred_at }
          : { type: "enter", location_id: location, occurred_at };
      const { status, text } = await exchange(agent, post(phone, event));
      // What was refused, or is to be sent again, was never promised.
      if (status === 200 && text.includes('"accepted":1')) due.set(phone + 1, at);
    }
    return due;
  };

  /** The delays of messages and of the send, and how many have not come. */
  const lateness = Effect.fnUntraced(function* (due: ReadonlyMap<number, number>) {
    const rows = yield* sql<{ readonly device: number; readonly at: number }>`
      SELECT d.device_key AS device, (extract(epoch FROM min(d.created_at)) * 1000)::float8 AS at
      FROM delivery d
      JOIN campaign c ON c.workspace_id = d.workspace_id AND c.key = d.campaign_key
      WHERE d.workspace_id = ${key} AND c.id IN (${waiting}::uuid, ${dwelling}::uuid) GROUP BY 1`;
    const [sent] = yield* sql<{ readonly late: number }>`
      SELECT (extract(epoch FROM finished_at - due_at) * 1000)::float8 AS late FROM send
      WHERE workspace_id = ${key} AND campaign_id = ${push}::uuid AND status = 'done'`;
    const came = rows.flatMap(({ at, device }) => {
      const instant = due.get(device);
      return instant === undefined ? [] : [Math.max(1, at - instant)];
    });
    const late = [...came, ...(sent === undefined ? [] : [sent.late])];
    return { late, missing: due.size + 1 - late.length };
  });
  const immediateDeliveries = Effect.map(
    sql<{ readonly count: number }>`
      SELECT count(*)::int AS count FROM delivery d
      JOIN campaign c ON c.workspace_id = d.workspace_id AND c.key = d.campaign_key
      WHERE d.workspace_id = ${key} AND c.id = ${immediate}::uuid`,
    ([row]) => row?.count ?? 0,
  );

  const measure = Effect.fnUntraced(function* (millis: number, heavy: Heavy | null) {
    if (heavy?.before !== undefined) yield* heavy.before;
    const stored = yield* immediateDeliveries;
    yield* sql`DELETE FROM send WHERE workspace_id = ${key}`;
    yield* insertSends(sql`c.id = ${push}::uuid`);
    const times: Record<Kind, Array<number>> = { reads: [], writes: [], events: [] };
    let [failed, accepted] = [0, 0];
    const due = yield* Effect.promise(async () => {
      const agent = new Agent({ keepAlive: true });
      const ends = performance.now() + millis;
      const stop = (): boolean => performance.now() >= ends;
      const converse = async (): Promise<void> => {
        while (!stop()) {
          const [kind, request] = next();
          const answer = await exchange(agent, request).catch(() => null);
          if (answer === null || answer.status >= 500) failed++;
          else times[kind].push(answer.millis);
          const isFirst = answer?.status === 200 && answer.text.includes('"accepted":1');
          if (isFirst && request.body?.includes('"opened"') === true) accepted++;
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      };
      const work = heavy?.work(stop);
      const reported = reportDue(agent, millis).catch(() => new Map<number, number>());
      await Promise.all(Array.from({ length: 4 }, converse));
      await work?.catch((error: unknown) => console.error(`  the heavy work ended: ${String(error)}`));
      agent.destroy();
      return reported;
    });
    if (heavy?.after !== undefined) yield* heavy.after;
    // So that the next round has nothing of this one.
    if (heavy !== null) yield* Effect.sleep(2_000);
    const until = performance.now() + graceMillis;
    let result = yield* lateness(due);
    while (result.missing > 0 && performance.now() < until) {
      yield* Effect.sleep(200);
      result = yield* lateness(due);
    }
    const made = (yield* immediateDeliveries) - stored;
    const lost = result.missing + Math.max(0, accepted - made);
    const sorted = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b);
    const { events, reads, writes } = times;
    const seen: Seen = {
      reads: sorted(reads),
      events: sorted([...events, ...writes]),
      late: sorted(result.late),
      failed,
      lost,
    };
    return seen;
  });
  return { measure };
});

/** p50 and p99 of a figure in a round; the greatest of few values. */
export const spreadOf = (values: ReadonlyArray<number>): readonly [p50: number, p99: number] => [
  quantile(values, 0.5),
  quantile(values, 0.99),
];
