import { assert, it } from "@effect/vitest";
import { Effect } from "effect";
import { ConnectionPool } from "../../../src/database/pool/ConnectionPool.ts";
import type { PooledConnection } from "../../../src/database/pool/PooledConnection.ts";

const limits = {
  maxConnections: 3,
  maxTransactions: 3,
  maxShared: 1,
  idleMillis: 10_000,
  lifeMillis: 1_800_000,
  waitMillis: 60_000,
  slowMillis: 30,
  silentMillis: 1_000,
};

/** A pool of connections without a server. All are opened at the same time, `begin`. */
const poolWorld = () => {
  // Whole milliseconds: sums and differences of fractions are not exact.
  const begin = Math.ceil(performance.now());
  let [opened, closed] = [0, 0];
  const open = Effect.sync(() => {
    opened++;
    const connection = {
      leases: 0,
      isExclusive: false,
      isBusy: false,
      isClosed: false,
      openedAt: begin,
      idleSince: begin,
      close: Effect.sync(() => void closed++),
      onClose: () => undefined,
      runningFor: () => 0,
      silence: () => 0,
    };
    return connection as unknown as PooledConnection;
  });
  const pool = new ConnectionPool(open, limits, Effect.runFork);
  const lease = Effect.uninterruptibleMask((restore) => pool.lease("exclusive", null, restore));
  return { begin, pool, lease, opened: () => opened, closed: () => closed };
};

it.live("free connections that are old are closed one at a time, leased ones when they are free", () =>
  Effect.gen(function* () {
    const { begin, closed, lease, opened, pool } = poolWorld();
    const [one, two, three] = [yield* lease, yield* lease, yield* lease];
    const old = begin + limits.lifeMillis;
    const setUsed = () => pool.connections.forEach((each) => (each.idleSince = old));
    pool.maintain(old);
    assert.strictEqual(closed(), 0);
    pool.release(one);
    pool.release(two);
    setUsed();
    pool.maintain(old - 1);
    assert.strictEqual(closed(), 0);
    pool.maintain(old);
    assert.strictEqual(closed(), 1);
    pool.maintain(old);
    assert.strictEqual(closed(), 2);
    assert.deepStrictEqual(pool.connections, [three]);
    pool.release(three);
    setUsed();
    pool.maintain(old);
    assert.deepStrictEqual(pool.connections, []);
    const next = yield* lease;
    assert.deepStrictEqual([opened(), pool.connections], [4, [next]]);
  }),
);

it.live("all connections that nobody used for a while are closed at once", () =>
  Effect.gen(function* () {
    const { begin, closed, lease, pool } = poolWorld();
    const leased = [yield* lease, yield* lease, yield* lease];
    for (const each of leased) pool.release(each);
    for (const each of leased) each.idleSince = begin;
    pool.maintain(begin + limits.idleMillis - 1);
    assert.strictEqual(closed(), 0);
    pool.maintain(begin + limits.idleMillis);
    assert.strictEqual(closed(), 3);
  }),
);
