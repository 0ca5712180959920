import type { Clock } from "effect";

/** Milliseconds of a monotonic clock, for spans of time within this process. */
export const monotonicMillis = (clock: Clock.Clock): number =>
  Number(clock.monotonicTimeNanosUnsafe() / 1_000n) / 1_000;
