import { Clock, Effect } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { instant, unnested } from "../../src/database/Rows.ts";
import { seal, sealingKey } from "../../src/access/SealedText.ts";
import { makeWebhookSecret, sealingPurpose, secretContext } from "../../src/webhooks/WebhookSecret.ts";
import { quantile } from "./PacedLoad.ts";
import { secretKey } from "./ServiceApi.ts";
import { figure } from "./Rounds.ts";
import { figuresOf, newWorkspace, waitFor } from "./WebhookScenario.ts";

/** 1,000 receivers of which 100 hang; every receiver gets an event a second for ten seconds. */
export const hanging = Effect.fnUntraced(function* (origin: string, receiver: string, maxLag: number) {
  const sql = yield* SqlClient.SqlClient;
  const { workspaceId } = yield* newWorkspace(origin);
  const tenant = { workspaceId, environment: "production" } as const;
  const now = yield* Clock.currentTimeMillis;
  const key = sealingKey(secretKey, sealingPurpose);
  const webhooks = Array.from({ length: 1_000 }, (_, index) => {
    const id = randomUUID();
    const url = `${receiver}/${index < 100 ? "hang" : "answer"}/${index}`;
    return { id, url, secret: seal(key, secretContext(tenant, id), makeWebhookSecret()) };
  });
  // By SQL: the API refuses more than 20.
  yield* sql`
    INSERT INTO webhook (workspace_id, environment, id, url, batch, events, status, secret, created_at,
      updated_at)
    SELECT ${workspaceId}, 'production', w.id, w.url, false, '{*}', 'active', w.secret, ${instant(now)},
      ${instant(now)}
    FROM ${unnested("w", webhooks, {
      id: ["uuid", ({ id }) => id],
      url: ["text", ({ url }) => url],
      secret: ["bytea", ({ secret }) => secret],
    })}`;
  yield* figuresOf(receiver);
  const lags = yield* Effect.gen(function* () {
    for (let second = 0; second < 10; second++) {
      const at = yield* Clock.currentTimeMillis;
      yield* sql`
      INSERT INTO webhook_event (workspace_id, environment, webhook_id, recording, type, recorded_at, size,
        data)
      SELECT w.workspace_id, w.environment, w.id, nextval('webhook_recording'), 'location.entered',
        ${instant(at)}, 1, ARRAY[${`{"made_at":${at}}`}]
      FROM webhook w WHERE w.workspace_id = ${workspaceId}`;
      yield* Effect.sleep(1_000);
    }
    return yield* waitFor(receiver, 9_000, 20);
  });
  yield* sql`DELETE FROM webhook WHERE workspace_id = ${workspaceId}`;
  const sorted = lags.toSorted((a, b) => a - b);
  const what = "100 of 1,000 receivers hang";
  figure("hanging", `p99 lag of the others, ${what}`, "ms", quantile(sorted, 0.99), { atMost: maxLag });
});
