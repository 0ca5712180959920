/** Gives memory back to the system once a process has become quiet. */
import { Effect } from "effect";
import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Below this share of a core, a process does little but poll. */
const quietShare = 0.1;

/** From this share on, a process works. Between the two it stays what it was. */
const busyShare = 0.2;

const periodMillis = 60_000;

/** Decides when memory is collected: after the first quiet period since the start, or since a busy one. */
class QuietPeriods {
  #wasBusy = true;

  /** Whether memory is due after a period that used this share of a core. */
  isDue(share: number): boolean {
    if (share >= busyShare) this.#wasBusy = true;
    if (share >= quietShare || !this.#wasBusy) return false;
    this.#wasBusy = false;
    return true;
  }
}

/** V8's collection of everything, which also shrinks the young generation. It takes 0.1 to 0.3 s. */
const collectAll = (): void => {
  // Only this option makes the function, and only in contexts that are created afterwards.
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as NodeJS.GCFunction;
  collect({ type: "major", flavor: "last-resort" });
};

/** CPU of this process so far, in milliseconds. */
const cpuMillis = (): number => {
  const { system, user } = process.cpuUsage();
  return (system + user) / 1_000;
};

/**
 * Collects memory whenever this process becomes quiet, until the scope closes. A start and every load leave
 * a young generation of its greatest size and a divided heap: half of the memory. V8 would return it only
 * below a rate of allocation that polls exceed.
 */
export const keepMemorySmall = Effect.fnUntraced(function* (
  usedMillis: () => number = cpuMillis,
  collect: () => void = collectAll,
) {
  const periods = new QuietPeriods();
  const period = Effect.gen(function* () {
    const before = usedMillis();
    yield* Effect.sleep(periodMillis);
    if (periods.isDue((usedMillis() - before) / periodMillis)) collect();
  });
  yield* Effect.forkScoped(Effect.forever(period));
});
