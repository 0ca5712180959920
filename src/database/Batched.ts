import { Cause, Clock, Effect, Exit, FiberSet, Latch, type Scope } from "effect";
import { setTimeout as delay } from "node:timers/promises";
import { type Call, called, settle } from "./BatchCalls.ts";
import { Database } from "./Database.ts";
import { KeysApart } from "./KeysApart.ts";
import { ReadPause } from "./LongReads.ts";
import { hasNeighbours } from "./RecentWorkspaces.ts";
import { type BatchLimits, type Key, TurnQueue } from "./TurnQueue.ts";

/**
 * Fails a batch whose items of one key take long. They run again alone, as do those of the key for a while;
 * the others run again without them.
 */
export class TakesLong extends Error {
  readonly key: Key;

  constructor(key: Key) {
    super(`The items of ${key} take too long for a batch with others`);
    this.key = key;
  }
}

/** How calls are combined into batches. */
export interface BatchOptions<Item, Answer, E, R> extends BatchLimits<Item> {
  /** `isAlone` says that all items have one key, and that no call of another one waits for them. */
  readonly run: (items: ReadonlyArray<Item>, isAlone: boolean) => Effect.Effect<ReadonlyArray<Answer>, E, R>;
  /** In milliseconds, after a batch of several calls. */
  readonly pause?: number;
  /** How many calls that wait start a batch beside the one that runs; none if left out. */
  readonly beside?: number;
}

/** A batch that takes longer lets the next one start, in milliseconds. */
const slowMillis = 1_000;
/** The most batches of several keys at the same time. */
const maxTogether = 4;
/** The longest pause between batches of a slow workspace that has neighbours, in milliseconds. */
const maxPauseMillis = 1_000;

/** Whether nothing is wrong with a failed batch: each part of it would fail, too. */
export const failsAll = (cause: Cause.Cause<unknown>): boolean => {
  const unavailability = Database.unavailability(cause);
  return Cause.hasInterrupts(cause) || unavailability === "away" || unavailability === "full";
};

/** The key by which a batch named itself slow; undefined if it did not. */
const slowKeyOf = (cause: Cause.Cause<unknown>): Key | undefined => {
  const error = Cause.squash(cause);
  return error instanceof TakesLong ? error.key : undefined;
};

/**
 * Combines concurrent calls into batches: while a batch runs, further calls gather for the next one, which
 * takes them round-robin by their keys (`TurnQueue.ts`). A single call is never delayed; under load a batch
 * costs little more than one call. `run` gets at most `maxBatch` items and returns their answers in the same
 * order. A batch outlives an interrupted caller and never joins a caller's transaction. After a batch of
 * several calls the next one gathers for `pause` milliseconds more: under load, larger batches save more than
 * the wait costs. A request waits for its answer only as long as it has time for the database; then it fails
 * as unavailable. From `beside` waiting calls on a second batch runs beside the first one, so that the
 * database works while this thread answers, and the other way round. One also runs for calls of other keys
 * than those of a large batch that runs: they need not wait for a flood.
 *
 * No key fails or slows the calls of another one. A batch that fails runs again in a batch for each key, so
 * `run` must do nothing if it fails. A key that is slow has batches of its own for a while (`KeysApart.ts`):
 * one whose batch failed or was slow alone, and one that `run` names by `TakesLong`. While other workspaces
 * send requests, its next batch waits as long as the last has taken. After a second the next batch no longer
 * waits for this one, and its keys prove themselves alone.
 */
export const batched = <Item, Answer, E, R>(
  options: BatchOptions<Item, Answer, E, R>,
): Effect.Effect<(item: Item) => Effect.Effect<Answer, E>, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const { beside: besideCalls = Infinity, keyOf, pause = 0, run } = options;
    const calls = new TurnQueue<Item, Call<Item, Answer, E>>(options);
    const arrival = Latch.makeUnsafe();
    const clock = yield* Clock.Clock;
    const fork = yield* FiberSet.makeRuntime<R>();
    const apart = new KeysApart<Key>();
    const nowMillis = (): number => clock.currentTimeMillisUnsafe();
    let running = 0;
    /** Whether a batch of each kind runs beside another one. */
    const beside = { full: false, others: false };
    /** The keys of the large batch that began last and runs. */
    let busy: ReadonlySet<Key> | null = null;

    const runAlone = Effect.fnUntraced(function* (items: ReadonlyArray<Item>) {
      const [key] = items.map(keyOf) as [Key];
      const since = nowMillis();
      const exit = yield* Effect.exit(run(items, true));
      const hasFailed = Exit.isFailure(exit) && !failsAll(exit.cause);
      if (hasFailed || nowMillis() - since >= slowMillis) apart.slow(key, nowMillis());
      else apart.fast(key);
      return yield* exit;
    });
    const addAlone = yield* batchesByKey<Item, Answer, E, R>({ ...options, run: runAlone }, true);

    const runTogether = Effect.fnUntraced(function* (batch: ReadonlyArray<Call<Item, Answer, E>>) {
      const items = batch.map(({ item }) => item);
      const exit = yield* Effect.exit(run(items, false));
      if (Exit.isSuccess(exit) || failsAll(exit.cause)) return settle(batch, exit);
      const slowKey = slowKeyOf(exit.cause);
      if (slowKey !== undefined) apart.slow(slowKey, nowMillis());
      const hasOneKey = new Set(items.map(keyOf)).size === 1;
      if (hasOneKey && slowKey === undefined) settle(batch, exit);
      else batch.forEach(addAlone);
    });

    const take = Effect.gen(function* () {
      while (calls.length === 0) {
        arrival.closeUnsafe();
        // Calls that come at the same time are in one batch.
        yield* Effect.andThen(arrival.await, Effect.yieldNow);
      }
      return calls.take();
    });

    /** Runs one batch while another one runs: a full one, or one of other keys than `except`. */
    const startBeside = (kind: keyof typeof beside, except?: ReadonlySet<Key>): void => {
      if (beside[kind]) return;
      beside[kind] = true;
      const run = Effect.suspend(() => {
        const batch = calls.take(except);
        return batch.length === 0 ? Effect.succeed(false) : Effect.as(runTogether(batch), true);
      });
      const end = (exit: Exit.Exit<boolean>) =>
        Effect.sync(() => {
          beside[kind] = false;
          // Others may have come meanwhile, and the flood still runs.
          if (kind === "others" && busy !== null && Exit.isSuccess(exit) && exit.value)
            startBeside("others", busy);
        });
      fork(Effect.onExit(Effect.andThen(Effect.yieldNow, run), end));
    };

    /** Runs batch after batch in this fiber, until one is so slow that another fiber takes the next. */
    const runBatches: Effect.Effect<void, never, R> = Effect.gen(function* () {
      let isOvertaken = false;
      while (!isOvertaken) {
        const batch = yield* take;
        const keys = calls.keysOfLarge(batch);
        busy = keys;
        running++;
        // In real time, because a batch must not wait for a test to move its clock.
        const timer = setInterval(() => {
          if (running >= maxTogether) return;
          clearInterval(timer);
          isOvertaken = true;
          for (const { item } of batch) apart.suspect(keyOf(item), nowMillis());
          fork(runBatches);
        }, slowMillis);
        yield* Effect.ensuring(
          runTogether(batch),
          Effect.sync(() => {
            clearInterval(timer);
            running--;
            if (busy === keys) busy = null;
          }),
        );
        if (pause > 0 && batch.length > 1 && !isOvertaken)
          yield* Effect.promise((signal) => delay(pause, undefined, { signal }));
      }
    });
    fork(runBatches);

    return (item) =>
      called<Item, Answer, E>(item, (call) => {
        if (!apart.isEmpty && apart.has(keyOf(item), nowMillis())) addAlone(call);
        else {
          calls.add(call);
          arrival.openUnsafe();
          if (running === 0) return;
          if (busy !== null && !busy.has(keyOf(item))) startBeside("others", busy);
          else if (calls.length >= besideCalls) startBeside("full");
        }
      });
  });

/** Adds calls to batches of those with the same key, which run at the same time as those of other keys. */
const batchesByKey = <Item, Answer, E, R>(
  options: BatchOptions<Item, Answer, E, R>,
  givesWay: boolean,
): Effect.Effect<(call: Call<Item, Answer, E>) => void, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    type Calls = TurnQueue<Item, Call<Item, Answer, E>>;
    // It has the services of this moment, so no batch joins the transaction of a caller.
    const fork = yield* FiberSet.makeRuntime<R>();
    const wait = yield* ReadPause;
    /** The calls that no batch has taken, by key. A key has an entry while its fiber runs. */
    const waiting = new Map<Key, Calls>();

    const runBatches = (key: Key, calls: Calls) =>
      Effect.gen(function* () {
        while (calls.length > 0) {
          const batch = calls.take();
          const items = batch.map(({ item }) => item);
          const since = performance.now();
          settle(batch, yield* Effect.exit(options.run(items, true)));
          if (!givesWay || typeof key !== "number" || !hasNeighbours(key)) continue;
          const millis = Math.min(performance.now() - since, maxPauseMillis);
          yield* Effect.callback<void>((resume) => wait(millis, () => resume(Effect.void)));
        }
        waiting.delete(key);
      });

    return (call) => {
      const key = options.keyOf(call.item);
      const calls = waiting.get(key);
      const own: Calls = calls ?? new TurnQueue(options);
      own.add(call);
      if (calls !== undefined) return;
      waiting.set(key, own);
      fork(runBatches(key, own));
    };
  });

/**
 * As `batched`, with batches of calls that have the same key. Batches of different keys run at the same time,
 * so that none waits for another one. If one fails, all its calls fail.
 */
export const batchedByKey = <Item, Answer, E, R>(
  options: BatchOptions<Item, Answer, E, R>,
): Effect.Effect<(item: Item) => Effect.Effect<Answer, E>, never, R | Scope.Scope> =>
  Effect.map(
    batchesByKey<Item, Answer, E, R>(options, false),
    (add) => (item) => called<Item, Answer, E>(item, add),
  );
