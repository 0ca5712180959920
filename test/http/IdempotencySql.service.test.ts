import { assert, layer } from "@effect/vitest";
import { Effect, type Layer } from "effect";
import {
  IdempotencySql,
  type IdempotentRequest,
  type StoredResponse,
} from "../../src/http/IdempotencySql.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { TestStatements } from "../database/TestStatements.ts";
import { newTenants, suiteStart as now, tenantsInMemory } from "../TestTenants.ts";
import { idempotencyInMemory } from "./IdempotencyInMemory.ts";

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
  Effect.flatMap(IdempotencySql, (repository) =>
    Effect.map(repository.claim(request, since), ({ stored }) => stored),
  );

/** The rules of `IdempotencySql`, which its statements and the version in memory keep alike. */
const idempotencyRules = <R, E>(
  name: string,
  store: Layer.Layer<IdempotencySql | R, E>,
  tenants: Effect.Effect<{ readonly sandbox: Tenant; readonly production: Tenant }, never, R>,
) =>
  layer(store)(`Idempotent responses ${name}`, (it) => {
    it.effect("a stored response is found byte for byte until its time is over", () =>
      Effect.gen(function* () {
        const repository = yield* IdempotencySql;
        const request = requestOf((yield* tenants).sandbox);
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
        const repository = yield* IdempotencySql;
        const { production, sandbox } = yield* tenants;
        const other = (yield* tenants).sandbox;
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
        const repository = yield* IdempotencySql;
        const request = requestOf((yield* tenants).sandbox);
        yield* repository.store(request, legacyOf("old"), now);
        const old = yield* find(request, now - 1);
        assert.deepInclude(old, { sealed: null, author: null });
        assert.strictEqual(Buffer.from(old?.body ?? []).toString(), "old");
        yield* repository.store(request, { ...responseOf("x"), status: 204, content_type: null }, now + 10);
        assert.deepInclude(yield* find(request, now), { status: 204, content_type: null, body: null });
      }),
    );

    it.effect("pruning deletes responses up to the instant, and at most the limit", () =>
      Effect.gen(function* () {
        const repository = yield* IdempotencySql;
        const { sandbox } = yield* tenants;
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

idempotencyRules("by statements", TestStatements.layer, newTenants);
idempotencyRules("in memory", idempotencyInMemory, tenantsInMemory);
