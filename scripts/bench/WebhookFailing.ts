import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { median } from "./BenchChild.ts";
import { ask, figuresOf, newWorkspace, recordEvents, waitFor } from "./WebhookScenario.ts";

const count = 10_000;

/** The calls a second of a receiver that answers, and of one that fails one call in five, alternately. */
export const failing = Effect.fnUntraced(function* (
  origin: string,
  receiver: string,
  rounds: number,
  minShare: number,
) {
  const sql = yield* SqlClient.SqlClient;
  const { token, workspaceId } = yield* newWorkspace(origin);
  const webhooks = `${origin}/platform/v1/webhooks`;
  const rates = { answer: [] as Array<number>, fail: [] as Array<number> };
  for (let round = -1; round < rounds; round++) {
    for (const path of ["answer", "fail"] as const) {
      const url = `${receiver}/${path}`;
      const webhook = yield* ask(webhooks, token, { url, events: ["location.entered"] });
      yield* figuresOf(receiver);
      const began = performance.now();
      yield* recordEvents(workspaceId, webhook.id, count, 100);
      yield* waitFor(receiver, count, 120);
      if (round >= 0) rates[path].push((count * 1000) / (performance.now() - began));
      // What has failed is not repeated.
      yield* ask(`${webhooks}/${webhook.id}`, token, {}, "DELETE");
      yield* sql`DELETE FROM webhook_call`;
    }
  }
  const [healthy, partly] = [median(rates.answer), median(rates.fail)];
  const share = partly / healthy;
  console.log(
    `one receiver: ${Math.round(healthy)} calls a second; one that fails 20 % of its calls: ` +
      `${Math.round(partly)}, ratio ${share.toFixed(2)} (bar: ${minShare})`,
  );
  return share >= minShare;
});
