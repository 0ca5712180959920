import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { FailedAttemptsRepository } from "../../src/access/FailedAttemptsRepository.ts";
import { TestRepositories } from "./TestRepositories.ts";
import { suiteStart as now } from "../TestTenants.ts";

const minute = 60_000;

layer(TestRepositories.layer)("FailedAttemptsRepository", (it) => {
  it.effect("attempts of one address add up within its window", () =>
    Effect.gen(function* () {
      const repository = yield* FailedAttemptsRepository;
      for (const attempts of [1, 2, 3]) {
        const at = now + attempts;
        assert.deepInclude(yield* repository.count("192.0.2.1", at, at - minute), {
          attempts,
          windowOpened: now + 1,
        });
      }
      assert.strictEqual((yield* repository.count("192.0.2.2", now, now - minute)).attempts, 1);
    }),
  );

  it.effect("a window that opened exactly at the limit is over, and the next attempt opens a new one", () =>
    Effect.gen(function* () {
      const repository = yield* FailedAttemptsRepository;
      yield* repository.count("192.0.2.3", now, now - minute);
      const within = yield* repository.count("192.0.2.3", now + minute - 1, now - 1);
      assert.deepInclude(within, { attempts: 2, windowOpened: now });
      const after = yield* repository.count("192.0.2.3", now + minute, now);
      assert.deepInclude(after, { attempts: 1, windowOpened: now + minute });
    }),
  );

  it.effect("a window from a clock that was two hours ahead is opened again", () =>
    Effect.gen(function* () {
      const repository = yield* FailedAttemptsRepository;
      yield* repository.count("192.0.2.4", now + 120 * minute, now + 119 * minute);
      const after = yield* repository.count("192.0.2.4", now, now - minute);
      assert.deepInclude(after, { attempts: 1, windowOpened: now });
      const behind = yield* repository.count("192.0.2.4", now - minute, now - 2 * minute);
      assert.deepInclude(behind, { attempts: 2, windowOpened: now });
    }),
  );

  it.effect("pruning deletes the oldest windows first, up to the limit", () =>
    Effect.gen(function* () {
      const repository = yield* FailedAttemptsRepository;
      const past = now - 10 * minute;
      for (const [index, address] of ["198.51.100.3", "198.51.100.1", "198.51.100.2"].entries())
        yield* repository.count(address, past + index, past);
      assert.strictEqual(yield* repository.prune(past + 1, 1), 1);
      assert.strictEqual(yield* repository.prune(past + 1, 10), 1);
      assert.strictEqual(yield* repository.prune(past + 1, 10), 0);
      const kept = yield* repository.count("198.51.100.2", past + 3, past);
      assert.strictEqual(kept.attempts, 2);
    }),
  );
});
