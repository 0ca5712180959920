import { assert, layer } from "@effect/vitest";
import { Effect, type Layer } from "effect";
import { RateLimitsSql } from "../../src/http/RateLimitsSql.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { TestStatements } from "../database/TestStatements.ts";
import { newTenants, suiteStart as now, tenantsInMemory } from "../TestTenants.ts";
import { rateLimitsInMemory } from "./RateLimitsInMemory.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
const unlimited = 2_147_483_647;

interface Asked {
  readonly reads?: number;
  readonly writes?: number;
  readonly perMinute?: number;
  readonly writesPerMinute?: number;
  readonly perDay?: number;
}

/** Takes for one tenant at an instant: what was granted and used. */
const take = ({ environment, workspaceId }: Tenant, at: number, asked: Asked) =>
  Effect.gen(function* () {
    const repository = yield* RateLimitsSql;
    const { perDay = unlimited, perMinute = unlimited, reads = 0, writes = 0 } = asked;
    const { writesPerMinute = unlimited } = asked;
    const demand = { workspaceId, environment, reads, writes, perMinute, writesPerMinute, perDay };
    const [row] = yield* repository.take([demand], at);
    return row;
  });

/** The rules of `RateLimitsSql`, which its statement and the version in memory keep alike. */
const rateLimitRules = <R, E>(
  name: string,
  store: Layer.Layer<RateLimitsSql | R, E>,
  tenants: Effect.Effect<{ readonly sandbox: Tenant; readonly production: Tenant }, never, R>,
) =>
  layer(store)(`Windows of rate limits ${name}`, (it) => {
    it.effect("a window opens with its first request and grants exactly its limit", () =>
      Effect.gen(function* () {
        const { sandbox } = yield* tenants;
        const first = yield* take(sandbox, now, { reads: 3, perMinute: 5 });
        assert.deepInclude(first, { granted_reads: 3, minute_used: 3, minute_opened: new Date(now) });
        const second = yield* take(sandbox, now + 1, { reads: 3, perMinute: 5 });
        assert.deepInclude(second, { granted_reads: 2, minute_used: 5, minute_opened: new Date(now) });
        assert.deepInclude(yield* take(sandbox, now + 2, { reads: 1, perMinute: 5 }), { granted_reads: 0 });
      }),
    );

    it.effect("a window ends after its whole length, and refused requests do not count", () =>
      Effect.gen(function* () {
        const { sandbox } = yield* tenants;
        yield* take(sandbox, now, { reads: 9, perMinute: 2 });
        assert.deepInclude(yield* take(sandbox, now + minute - 1, { reads: 1, perMinute: 2 }), {
          granted_reads: 0,
          minute_used: 2,
        });
        assert.deepInclude(yield* take(sandbox, now + minute, { reads: 1, perMinute: 2 }), {
          granted_reads: 1,
          minute_used: 1,
          minute_opened: new Date(now + minute),
        });
      }),
    );

    it.effect("writes are granted before reads and have a window of their own", () =>
      Effect.gen(function* () {
        const { sandbox } = yield* tenants;
        const row = yield* take(sandbox, now, { reads: 5, writes: 3, perMinute: 4, writesPerMinute: 2 });
        assert.deepInclude(row, { granted_writes: 2, granted_reads: 2, writes_used: 2, minute_used: 4 });
        const reading = yield* take(sandbox, now + minute, { reads: 1, perMinute: 4, writesPerMinute: 2 });
        // A read does not open the window of writes again.
        assert.deepInclude(reading, { writes_used: 2, writes_opened: new Date(now), granted_reads: 1 });
        const writing = yield* take(sandbox, now + minute, { writes: 1, perMinute: 4, writesPerMinute: 2 });
        assert.deepInclude(writing, {
          granted_writes: 1,
          writes_used: 1,
          writes_opened: new Date(now + minute),
        });
      }),
    );

    it.effect("a limit that was lowered below its use grants nothing, and keeps what was used", () =>
      Effect.gen(function* () {
        const { sandbox } = yield* tenants;
        const used = { granted_reads: 0, granted_writes: 0, minute_used: 5, writes_used: 3, day_used: 5 };
        yield* take(sandbox, now, { reads: 2, writes: 3 });
        const both = { reads: 2, writes: 2 };
        assert.deepInclude(yield* take(sandbox, now, { ...both, perMinute: 3 }), used);
        assert.deepInclude(yield* take(sandbox, now, { ...both, perDay: 3 }), used);
        assert.deepInclude(yield* take(sandbox, now, { writes: 2, writesPerMinute: 1 }), used);
      }),
    );

    it.effect("the limit of the day applies within the limit of the minute", () =>
      Effect.gen(function* () {
        const { sandbox } = yield* tenants;
        yield* take(sandbox, now, { reads: 2, perDay: 3 });
        assert.deepInclude(yield* take(sandbox, now + minute, { reads: 2, perDay: 3 }), {
          granted_reads: 1,
          day_used: 3,
          day_opened: new Date(now),
        });
        assert.deepInclude(yield* take(sandbox, now + day, { reads: 2, perDay: 3 }), {
          granted_reads: 2,
          day_used: 2,
        });
      }),
    );

    it.effect(
      "a window from a clock that was two hours ahead refuses nothing, one of a minute ahead counts",
      () =>
        Effect.gen(function* () {
          const { sandbox } = yield* tenants;
          const asked = { writes: 1, perMinute: 1, writesPerMinute: 1, perDay: 1 };
          yield* take(sandbox, now + 120 * minute, asked);
          const after = yield* take(sandbox, now, asked);
          const opened = new Date(now);
          assert.deepInclude(after, { granted_writes: 1, minute_opened: opened, writes_opened: opened });
          assert.deepInclude(after, { day_used: 1, day_opened: opened });
          assert.deepInclude(yield* take(sandbox, now - minute, asked), { granted_writes: 0 });
        }),
    );

    it.effect("the environments of a workspace have their own windows and are taken in one call", () =>
      Effect.gen(function* () {
        const repository = yield* RateLimitsSql;
        const { production, sandbox } = yield* tenants;
        const demandOf = ({ environment, workspaceId }: Tenant, reads: number) => ({
          workspaceId,
          environment,
          reads,
          writes: 0,
          perMinute: 2,
          writesPerMinute: 2,
          perDay: unlimited,
        });
        const rows = yield* repository.take([demandOf(sandbox, 1), demandOf(production, 9)], now);
        const granted = Object.fromEntries(rows.map((row) => [row.environment, row.granted_reads]));
        assert.deepStrictEqual(granted, { sandbox: 1, production: 2 });
      }),
    );
  });

rateLimitRules("by statements", TestStatements.layer, newTenants);
rateLimitRules("in memory", rateLimitsInMemory, tenantsInMemory);
