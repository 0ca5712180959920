import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import type { Verdict } from "./ChaosRun.ts";

interface Enrolled {
  readonly campaign: string;
  readonly unit: number;
  readonly goal: string;
  readonly from: number;
  readonly until: number;
  readonly converted: number | null;
}

/**
 * A ledger of what phones did and the service accepted: opens and clicks by campaign, visits and custom
 * events by their instants in epoch milliseconds.
 */
export class GoalLedger {
  readonly #done = new Map<string, Array<number>>();

  /** Adds an accepted thing. An open or click has no instant: the service dates it. */
  add(goal: string, campaignId: string | null, deviceId: string, at = Number.NaN): void {
    const key = `${goal}/${campaignId ?? ""}/${deviceId}`;
    const instants = this.#done.get(key) ?? [];
    instants.push(at);
    this.#done.set(key, instants);
  }

  #instants({ campaign, goal }: Enrolled, devices: ReadonlyArray<string>): ReadonlyArray<number> {
    const of = goal === "opened" || goal === "clicked" ? campaign : "";
    return devices.flatMap((device) => this.#done.get(`${goal}/${of}/${device}`) ?? []);
  }

  /** Whether an enrolled unit converted as the phones say: at the first thing after its enrolment, if any. */
  #isRight(row: Enrolled, devices: ReadonlyArray<string>): boolean {
    const instants = this.#instants(row, devices);
    if (instants.some(Number.isNaN)) return row.converted !== null;
    const counting = instants.filter((at) => at > row.from && at <= row.until);
    return counting.length === 0 ? row.converted === null : row.converted === Math.min(...counting);
  }

  /** Compares the conversions of all enrolled units with the ledger (contract U5). */
  readonly verdict = Effect.gen({ self: this }, function* () {
    const sql = yield* SqlClient.SqlClient;
    const ms = (column: string) => sql.literal(`(extract(epoch FROM ${column}) * 1000)::float8`);
    const devices = new Map<number, Array<string>>();
    for (const { id, unit } of yield* sql<{ readonly id: string; readonly unit: number }>`
      SELECT id, COALESCE(-user_key, key) AS unit FROM device`)
      devices.set(unit, [...(devices.get(unit) ?? []), id]);
    const enrolled = yield* sql<Enrolled>`
      SELECT c.id AS campaign, e.unit_key AS unit, e.goal, ${ms("e.enrolled_at")} AS "from",
        ${ms("e.goal_until")} AS until, ${ms("e.converted_at")} AS converted
      FROM enrolment e JOIN campaign c ON c.workspace_id = e.workspace_id AND c.environment = e.environment
        AND c.key = e.campaign_key`;
    const wrong = enrolled.filter((row) => !this.#isRight(row, devices.get(row.unit) ?? []));
    const converted = (goal: string) =>
      enrolled.filter((row) => row.converted !== null && row.goal.startsWith(goal)).length;
    const figures = Object.fromEntries(
      ["opened", "clicked", "visit", "event:"].map((goal) => [`conversions, ${goal}`, converted(goal)]),
    );
    return {
      figures,
      faults: {
        "units converted otherwise than phones say": wrong.length,
        "a goal that nobody reached": Object.values(figures).filter((count) => count === 0).length,
      },
    } satisfies Verdict;
  });
}
