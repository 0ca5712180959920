import { Clock, Effect, Fiber, Queue } from "effect";
import { TestClock } from "effect/testing";
import {
  type CampaignDraft,
  type ClientClock,
  type ClientSettings,
  type Retry,
  WaypostClient,
} from "waypost/client";
import { TestWaypost } from "../TestWaypost.ts";

/** A push campaign with this name. */
export const push = (name: string): CampaignDraft => ({
  name,
  type: "push",
  timezone: "UTC",
  starts_at: "2026-12-01",
});

/** A new workspace, and a client of its Sandbox. */
export const tenantClient = Effect.gen(function* () {
  const waypost = yield* TestWaypost;
  const tenant = yield* waypost.tenant();
  const client = new WaypostClient({ url: waypost.origin, token: tenant.tokens.sandbox });
  return { ...tenant, client, origin: waypost.origin };
});

/** `TestClock` for a client, and random numbers in the middle of every range: half of each maximum. */
const testClock = Effect.map(Effect.context(), (context): ClientClock => ({
  now: () => Effect.runSyncWith(context)(Clock.currentTimeMillis),
  schedule: (milliseconds, run) => {
    const timer = Effect.runForkWith(context)(Effect.delay(Effect.sync(run), milliseconds));
    return () => void Effect.runFork(Fiber.interrupt(timer));
  },
  random: () => 0.5,
}));

/**
 * A client with TestClock, and a function that awaits its calls while it advances the clock by the pauses.
 */
export const testClient = (settings: ClientSettings) =>
  Effect.gen(function* () {
    const clock = yield* testClock;
    const pauses = yield* Queue.unbounded<number>();
    const retries: Array<Retry> = [];
    const client = new WaypostClient({
      ...settings,
      clock,
      onRetry: (retry) => {
        retries.push(retry);
        Queue.offerUnsafe(pauses, retry.waitMs);
      },
    });
    const passTime = Effect.forever(Effect.flatMap(Queue.take(pauses), (waitMs) => TestClock.adjust(waitMs)));
    return {
      client,
      retries,
      /** The value of the call. A rejection becomes a failure. */
      settle: <A>(call: () => Promise<A>): Effect.Effect<A, unknown> =>
        Effect.raceFirst(Effect.tryPromise({ try: call, catch: (error) => error }), passTime),
    };
  });
