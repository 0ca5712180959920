import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { FailedAttemptsSql } from "../../src/access/FailedAttemptsSql.ts";
import { TestStatements } from "../database/TestStatements.ts";
import { suiteStart as now } from "../TestTenants.ts";

const minute = 60_000;

layer(TestStatements.layer)("FailedAttemptsSql", (it) => {
  it.effect("a window that opened exactly at the limit is over, and the next attempt opens a new one", () =>
    Effect.gen(function* () {
      const repository = yield* FailedAttemptsSql;
      yield* repository.count("192.0.2.3", now, now - minute);
      const within = yield* repository.count("192.0.2.3", now + minute - 1, now - 1);
      assert.deepInclude(within, { attempts: 2, windowOpened: now });
      const after = yield* repository.count("192.0.2.3", now + minute, now);
      assert.deepInclude(after, { attempts: 1, windowOpened: now + minute });
    }),
  );

  it.effect("a window from a clock that was two hours ahead is opened again", () =>
    Effect.gen(function* () {
      const repository = yield* FailedAttemptsSql;
      yield* repository.count("192.0.2.4", now + 120 * minute, now + 119 * minute);
      const after = yield* repository.count("192.0.2.4", now, now - minute);
      assert.deepInclude(after, { attempts: 1, windowOpened: now });
      const behind = yield* repository.count("192.0.2.4", now - minute, now - 2 * minute);
      assert.deepInclude(behind, { attempts: 2, windowOpened: now });
    }),
  );
});
