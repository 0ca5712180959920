const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The pauses before the second, third … attempt, in milliseconds (contract N4). */
const pauses = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour];

/** The number of attempts after which a call is given up. */
export const maxAttempts = pauses.length + 1;

/** The most that `Retry-After` can ask for, in milliseconds. */
const maxRetryAfter = 24 * hour;
/** Pauses are up to this share longer, so that the calls of a receiver that was away spread. */
const jitter = 0.1;

/**
 * When a call that has failed `attempts` times is repeated, in epoch milliseconds; null if it is given up.
 * `Retry-After` (milliseconds) only lengthens the pause. `random` is between 0 and 1.
 */
export const nextAttemptAt = (
  attempts: number,
  now: number,
  retryAfter: number | null,
  random: number,
): number | null => {
  const pause = pauses[attempts - 1];
  if (pause === undefined) return null;
  const asked = Math.min(maxRetryAfter, retryAfter ?? 0);
  return Math.round(now + Math.max(pause * (1 + jitter * random), asked));
};
