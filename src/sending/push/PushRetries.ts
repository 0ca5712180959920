/** How often a push is handed over at most (contract L7). */
const mostAttempts = 8;
/** From the first attempt on, in milliseconds (contract L7). */
const tryingMillis = 3_600_000;
/** A push that nobody could try for a day is no news any more: no process ran, or the credentials were bad. */
const waitingMillis = 86_400_000;

/** How far a push has come; instants are epoch milliseconds. */
export interface Attempted {
  /** This one included. */
  readonly attempts: number;
  readonly firstAt: number;
}

/**
 * When a push is tried again: as long from now as the service says, else after a second, and twice as long after each further attempt, with
 * up to a quarter more by chance (`random` from 0 to 1). Null when that would be the ninth attempt, or over an hour after the first.
 */
export const nextAttempt = (
  { attempts, firstAt }: Attempted,
  now: number,
  retryAfter: number | null,
  random: number,
): number | null => {
  if (attempts >= mostAttempts) return null;
  const wait = retryAfter ?? 1000 * 2 ** (attempts - 1) * (attempts === 1 ? 1 : 1 + random / 4);
  return now + wait - firstAt > tryingMillis ? null : Math.ceil(now + wait);
};

/** Why a push is not tried at all any more, though it is due; null for no reason. */
export const tooLate = ({ attempts, firstAt }: Attempted, createdAt: number, now: number): string | null => {
  if (attempts > mostAttempts) return `It was handed over ${mostAttempts} times, and no outcome was seen.`;
  if (now - firstAt > tryingMillis) return "An hour has passed since it was first handed over.";
  return now - createdAt > waitingMillis ? "It could not be handed over for a day." : null;
};
