/** The number of attempts at most (contract L7). */
const maxAttempts = 8;
/** How long a push is retried after the first attempt, in milliseconds (contract L7). */
const maxRetryMillis = 3_600_000;
/** How long a push stays useful, in milliseconds, if no process ran or the credentials were bad. */
const maxAgeMillis = 86_400_000;

/** The attempts of a push. Instants are epoch milliseconds. */
export interface Attempted {
  /** Includes the current one. */
  readonly attempts: number;
  readonly firstAt: number;
}

/**
 * When a push is retried: after `retryAfter` milliseconds if the provider said so, else after 1 second,
 * doubled with each further attempt, plus up to a quarter of jitter (`random` from 0 to 1). Null if that
 * would be the ninth attempt, or over an hour after the first.
 */
export const nextAttempt = (
  { attempts, firstAt }: Attempted,
  now: number,
  retryAfter: number | null,
  random: number,
): number | null => {
  if (attempts >= maxAttempts) return null;
  const wait = retryAfter ?? 1000 * 2 ** (attempts - 1) * (attempts === 1 ? 1 : 1 + random / 4);
  return now + wait - firstAt > maxRetryMillis ? null : Math.ceil(now + wait);
};

/** Why a due push is not attempted any more; null if it is. */
export const tooLate = ({ attempts, firstAt }: Attempted, createdAt: number, now: number): string | null => {
  if (attempts > maxAttempts) return `All ${maxAttempts} attempts ended without a known outcome.`;
  if (now - firstAt > maxRetryMillis) return "The first attempt was over an hour ago.";
  return now - createdAt > maxAgeMillis ? "It could not be sent for a day." : null;
};
