import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { Database } from "../../src/database/Database.ts";
import {
  IdempotencyRepository,
  type IdempotentRequest,
  type StoredResponse,
} from "../../src/http/IdempotencyRepository.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { TestRepositories } from "./TestRepositories.ts";
import { newTenants, suiteStart as now } from "../TestTenants.ts";

const requestOf = (tenant: Tenant, key = "key", path = "/campaigns") => ({
  tenant,
  key,
  path,
  author: "token 1",
});
const responseOf = (text: string): StoredResponse => ({
  status: 201,
  content_type: "application/json",
  body: null,
  sealed: new Uint8Array(Buffer.from(text)),
  author: "token 1",
});
const legacyOf = (text: string): StoredResponse => ({
  ...responseOf(""),
  body: new Uint8Array(Buffer.from(text)),
  sealed: null,
  author: null,
});

/** The response that a request would get. */
const find = (request: IdempotentRequest, since: number) =>
  Effect.flatMap(IdempotencyRepository, (repository) =>
    Effect.map(repository.claim(request, since), ({ stored }) => stored),
  );

layer(TestRepositories.layer)("IdempotencyRepository", (it) => {
  it.effect("a stored response is found byte for byte until its time is over", () =>
    Effect.gen(function* () {
      const repository = yield* IdempotencyRepository;
      const request = requestOf((yield* newTenants).sandbox);
      assert.isNull(yield* find(request, now - 1));
      yield* repository.store(request, responseOf('{"a":"é"}'), now);
      const found = yield* find(request, now - 1);
      assert.deepStrictEqual(found && { ...found, sealed: Buffer.from(found.sealed ?? []).toString() }, {
        status: 201,
        content_type: "application/json",
        body: null,
        sealed: '{"a":"é"}',
        author: "token 1",
      });
      assert.isNull(yield* find(request, now));
    }),
  );

  it.effect("requests differ by workspace, environment, path and key (J1.2)", () =>
    Effect.gen(function* () {
      const repository = yield* IdempotencyRepository;
      const { production, sandbox } = yield* newTenants;
      const other = (yield* newTenants).sandbox;
      yield* repository.store(requestOf(sandbox), responseOf("{}"), now);
      const others = [
        requestOf(production),
        requestOf(other),
        requestOf(sandbox, "key2"),
        requestOf(sandbox, "key", "/locations/import"),
      ];
      for (const request of others) assert.isNull(yield* find(request, now - 1));
    }),
  );

  it.effect("a later response replaces an older one, also one that is not sealed", () =>
    Effect.gen(function* () {
      const repository = yield* IdempotencyRepository;
      const request = requestOf((yield* newTenants).sandbox);
      yield* repository.store(request, legacyOf("old"), now);
      const old = yield* find(request, now - 1);
      assert.deepInclude(old, { sealed: null, author: null });
      assert.strictEqual(Buffer.from(old?.body ?? []).toString(), "old");
      yield* repository.store(request, { ...responseOf("x"), status: 204, content_type: null }, now + 10);
      assert.deepInclude(yield* find(request, now), { status: 204, content_type: null, body: null });
    }),
  );

  it.effect("a response that is stored in a failed transaction is not found", () =>
    Effect.gen(function* () {
      const repository = yield* IdempotencyRepository;
      const database = yield* Database;
      const request = requestOf((yield* newTenants).sandbox);
      const failing = database.atomically(
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* repository.claim(request, now - 1), {
            isLocked: true,
            stored: null,
          });
          yield* repository.store(request, responseOf("{}"), now);
          return yield* Effect.fail("no" as const);
        }),
      );
      assert.strictEqual(yield* Effect.flip(failing), "no");
      assert.isNull(yield* find(request, now - 1));
    }),
  );

  it.effect("pruning deletes responses up to the instant, and at most the limit", () =>
    Effect.gen(function* () {
      const repository = yield* IdempotencyRepository;
      const { sandbox } = yield* newTenants;
      const past = now - 1_000_000_000;
      for (const key of ["a", "b", "c"])
        yield* repository.store(requestOf(sandbox, key), responseOf("{}"), past);
      yield* repository.store(requestOf(sandbox, "d"), responseOf("{}"), past + 1);
      assert.strictEqual(yield* repository.prune(past, 2), 2);
      assert.strictEqual(yield* repository.prune(past, 2), 1);
      assert.strictEqual(yield* repository.prune(past, 2), 0);
      assert.isNotNull(yield* find(requestOf(sandbox, "d"), past));
    }),
  );
});
