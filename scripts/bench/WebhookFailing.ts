import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { alternately, figure } from "./Rounds.ts";
import { ask } from "./ServiceApi.ts";
import { figuresOf, newWorkspace, recordEvents, waitFor } from "./WebhookScenario.ts";

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
  const rate = Effect.fnUntraced(function* (path: string) {
    const url = `${receiver}/${path}`;
    const webhook = yield* ask(webhooks, token, { url, events: ["location.entered"] });
    yield* figuresOf(receiver);
    const began = performance.now();
    yield* recordEvents(workspaceId, webhook.id, count, 100);
    yield* waitFor(receiver, count, 120);
    const seconds = (performance.now() - began) / 1000;
    // Failed calls are not repeated.
    yield* ask(`${webhooks}/${webhook.id}`, token, {}, "DELETE");
    yield* sql`DELETE FROM webhook_call`;
    return count / seconds;
  });
  const { answer, fail } = yield* alternately(rounds, { answer: rate("answer"), fail: rate("fail") });
  figure("failing", "calls of a receiver that fails one in five", "a second", fail, {
    beside: ["one that answers", answer],
    atLeast: minShare,
  });
});
