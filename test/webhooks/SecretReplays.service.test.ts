import { assert, layer } from "@effect/vitest";
import { Clock, Effect } from "effect";
import { HttpServerResponse } from "effect/http";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { instant } from "../../src/database/Rows.ts";
import { statementsOf } from "../../src/database/migrations/SqlScript.ts";
import { signIn } from "../console/TestSession.ts";
import { whileTimeMoves } from "../matrices/MovingTime.ts";
import { type Answer, TestWaypost, testOperatorKey } from "../TestWaypost.ts";

const hook = { url: "http://127.0.0.1:1/hook", events: ["*"] };

/** A workspace with two tokens of Sandbox, the operator, and sessions of a token and of the operator. */
const callers = Effect.gen(function* () {
  const waypost = yield* TestWaypost;
  const { sandbox, tokens, workspace } = yield* waypost.tenant();
  const other = yield* waypost.token(workspace, "sandbox");
  const headers = { "waypost-workspace": workspace.id };
  const session = (accessKey: string) =>
    Effect.map(
      signIn(waypost.origin, { access_key: accessKey }),
      ({ ask }) =>
        (path: string, request: { readonly body?: unknown; readonly headers?: object }) =>
          ask(`/sandbox/platform/v1${path}`, {
            method: "POST",
            ...request,
            headers: { ...headers, ...request.headers },
          }),
    );
  return {
    workspace,
    token: sandbox,
    other: waypost.platform("sandbox", other.token),
    otherId: other.id,
    operator: (path: string, request: object = {}) =>
      waypost.operator(`/workspaces/${workspace.id}/sandbox${path}`, { method: "POST", ...request }),
    session: yield* session(tokens.sandbox),
    operatorSession: yield* session(testOperatorKey),
    operatorSession2: yield* session(testOperatorKey),
  };
});

const secretOf = ({ body }: Answer): unknown => body.data.secret;

const assertHidden = (answer: Answer, first: Answer, who: string): void => {
  assert.deepStrictEqual(
    [answer.status, answer.headers.get("idempotent-replayed")],
    [first.status, "true"],
    who,
  );
  assert.deepStrictEqual(answer.body, { data: { ...first.body.data, secret: null } }, who);
};

layer(TestWaypost.layer)("a repeated response with a secret", (it) => {
  it.effect("it shows the secret to the caller who made the change, and null to all others (Y29, Y20)", () =>
    Effect.gen(function* () {
      const all = yield* callers;
      const { operator, operatorSession, operatorSession2, other, session, token } = all;
      const asked = { token, other, operator, session, operatorSession, operatorSession2 };
      const readers = Object.entries(asked) as ReadonlyArray<[string, typeof session]>;
      const { id } = (yield* token("/webhooks", { body: hook })).body.data;
      for (const [path, body] of [
        ["/webhooks", hook],
        [`/webhooks/${id}/secret`, undefined],
      ] as const)
        for (const [author, make] of readers) {
          const request = {
            method: "POST",
            headers: { "idempotency-key": randomUUID() },
            ...(body === undefined ? {} : { body }),
          };
          const first = yield* make(path, request);
          assert.isBelow(first.status, 300, author);
          assert.match(String(secretOf(first)), /^whsec_/);
          for (const [reader, ask] of readers) {
            const again = yield* ask(path, request);
            if (reader === author) assert.deepStrictEqual(again.body, first.body, reader);
            else assertHidden(again, first, `${path}: ${reader} repeats the change of ${author}`);
          }
        }
    }),
  );

  it.effect("no row of the table has the secret (Y29)", () =>
    Effect.gen(function* () {
      const { token } = yield* callers;
      const sql = yield* SqlClient.SqlClient;
      const key = randomUUID();
      const secret = String(
        secretOf(yield* token("/webhooks", { body: hook, headers: { "idempotency-key": key } })),
      );
      const [row] = yield* sql<{ readonly body: null; readonly row: string; readonly sealed: Uint8Array }>`
        SELECT body, sealed, r::text AS row FROM idempotent_response r WHERE key = ${key}`;
      assert.isNull(row?.body ?? null);
      const texts = [String(row?.row), Buffer.from(row?.sealed ?? []).toString("latin1")];
      for (const text of texts)
        for (const form of [secret, secret.slice(6), Buffer.from(secret).toString("hex")])
          assert.notInclude(text, form);
    }),
  );

  it.effect("an older process finds the request answered, and nothing to show (Y29)", () =>
    Effect.gen(function* () {
      const { token, workspace } = yield* callers;
      const sql = yield* SqlClient.SqlClient;
      const key = randomUUID();
      yield* token("/webhooks", { body: hook, headers: { "idempotency-key": key } });
      // Its statement. It makes no change where a row is found, and fails at a body that is null.
      const rows = yield* sql`
        SELECT status, content_type, body FROM idempotent_response
        WHERE workspace_id = (SELECT id FROM workspace WHERE public_id = ${workspace.id})
          AND environment = 'sandbox' AND path = '/platform/v1/webhooks' AND key = ${key}`;
      assert.deepStrictEqual(rows, [{ status: 201, content_type: "application/json", body: null }]);
      assert.throws(() => HttpServerResponse.uint8Array(rows[0]?.["body"] as Uint8Array), TypeError);
    }),
  );

  it.effect("a revoked token gets nothing, and one of the same name gets null (Y29)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const { operator, other, otherId, workspace } = yield* callers;
      const request = { body: hook, headers: { "idempotency-key": randomUUID() } };
      const first = yield* other("/webhooks", request);
      assert.isString(secretOf(first));
      yield* waypost.operator(`/workspaces/${workspace.id}/tokens/${otherId}`, { method: "DELETE" });
      const revoked = yield* other("/webhooks", request);
      assert.deepStrictEqual([revoked.status, revoked.body.error.code], [401, "token_revoked"]);
      const same = yield* waypost.token(workspace, "sandbox");
      assertHidden(yield* waypost.platform("sandbox", same.token)("/webhooks", request), first, "same name");
      assertHidden(yield* operator("/webhooks", request), first, "operator");
    }),
  );

  it.effect("of concurrent duplicates of two tokens, those of the other one get null (Y29, J3.2)", () =>
    Effect.gen(function* () {
      const { other, token } = yield* callers;
      const request = { body: hook, headers: { "idempotency-key": randomUUID() } };
      const answers = yield* whileTimeMoves(
        Effect.all(
          Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? token : other)("/webhooks", request)),
          { concurrency: "unbounded" },
        ),
      );
      const winner = answers.findIndex(({ headers }) => !headers.has("idempotent-replayed"));
      for (const [index, answer] of answers.entries())
        assert.strictEqual(
          typeof secretOf(answer),
          index % 2 === winner % 2 ? "string" : "object",
          `${index}`,
        );
      assert.strictEqual(new Set(answers.map(({ body }) => body.data.id)).size, 1);
    }),
  );

  it.effect(
    "a response of an older version is repeated without its secret, and loses it at the upgrade (Y29)",
    () =>
      Effect.gen(function* () {
        const { token, workspace } = yield* callers;
        const sql = yield* SqlClient.SqlClient;
        const body = '{"data":{"id":"1","url":"http://127.0.0.1:1/é","secret":"whsec_old"}}';
        const now = instant(yield* Clock.currentTimeMillis);
        for (const path of ["webhooks", "webhooks/1/secret", "campaigns"])
          yield* sql`
          INSERT INTO idempotent_response
            (workspace_id, environment, path, key, status, content_type, body, created_at)
          SELECT id, 'sandbox', ${`/platform/v1/${path}`}, 'old', 201, 'application/json',
            convert_to(${body}, 'UTF8'), ${now}
          FROM workspace WHERE public_id = ${workspace.id}`;
        const repeated = token("/webhooks", { body: hook, headers: { "idempotency-key": "old" } });
        const hidden = { data: { id: "1", url: "http://127.0.0.1:1/é", secret: null } };
        assert.deepStrictEqual((yield* repeated).body, hidden);
        const file = readFileSync(new URL("../../schema/0023_sessions.sql", import.meta.url), "utf8");
        const updates = statementsOf(file).filter((statement) => /^\s*UPDATE /m.test(statement));
        assert.lengthOf(updates, 1);
        for (const statement of updates) yield* sql.unsafe(statement);
        assert.deepStrictEqual((yield* repeated).body, hidden);
        const left = yield* sql<{ readonly path: string }>`
        SELECT path FROM idempotent_response
        WHERE key = 'old' AND convert_from(body, 'UTF8') LIKE '%whsec_old%'`;
        assert.deepStrictEqual(left, [{ path: "/platform/v1/campaigns" }]);
      }),
  );
});
