/** Pushes that one service has at once: those that it begins with, and those that it has at most once it answers well. */
const firstAtOnce = 16;
const mostAtOnce = 128;
/** However long a service asks to be left alone, it is asked again after so long, in milliseconds: others may have the same name. */
const longestPause = 60_000;
const mostServices = 1_000;
const [shortestAnswer, longestAnswer] = [5, 10_000];

interface Service {
  inFlight: number;
  limit: number;
  /** How long its answers take by and by, in milliseconds. */
  answerMillis: number;
  pausedUntil: number;
  /** When the last push that was put off for it is due again. */
  queuedUntil: number;
}

/**
 * How the push services behind one channel fare, by name: how many pushes each has, and which want to be left alone. So a slow one keeps no
 * other waiting, however many of a lane's pushes are for it. Instants are epoch milliseconds.
 */
export class ProviderConcurrency {
  readonly #known = new Map<string, Service>();
  readonly #isLimited: boolean;

  /** Where a channel has one service only, its lane's own limit is enough. */
  constructor(isLimited: boolean) {
    this.#isLimited = isLimited;
  }

  #of(name: string): Service {
    let found = this.#known.get(name);
    if (found === undefined) {
      // Devices register whatever addresses they like: what is not used goes.
      if (this.#known.size >= mostServices) {
        for (const [each, { inFlight }] of this.#known) if (inFlight === 0) this.#known.delete(each);
      }
      const limit = this.#isLimited ? firstAtOnce : Infinity;
      found = { inFlight: 0, limit, answerMillis: 50, pausedUntil: 0, queuedUntil: 0 };
      this.#known.set(name, found);
    }
    return found;
  }

  /** Lets pushes in, of one taking: gives null for one that may go now, else when it is due again. */
  admission(now: number): (name: string) => number | null {
    const admitted = new Map<string, number>();
    return (name) => {
      const service = this.#of(name);
      const count = admitted.get(name) ?? 0;
      if (now >= service.pausedUntil && service.inFlight + count < service.limit) {
        admitted.set(name, count + 1);
        return null;
      }
      // They come back one by one, as fast as the service could take them at its best if it answers as it has so far.
      const first = Math.max(service.pausedUntil, now + service.answerMillis);
      service.queuedUntil = Math.max(first, service.queuedUntil + service.answerMillis / mostAtOnce);
      service.queuedUntil = Math.min(service.queuedUntil, now + longestPause);
      return Math.ceil(service.queuedUntil);
    };
  }

  begun(name: string): void {
    this.#of(name).inFlight += 1;
  }

  /** One came to its end after so many milliseconds, answered or given up. */
  over(name: string, millis: number, isAnswered: boolean): void {
    const service = this.#of(name);
    service.inFlight = Math.max(0, service.inFlight - 1);
    if (this.#isLimited) {
      service.limit = isAnswered
        ? Math.min(mostAtOnce, service.limit + 1)
        : Math.max(firstAtOnce, Math.floor(service.limit / 2));
    }
    const answer = Math.min(longestAnswer, Math.max(shortestAnswer, millis));
    service.answerMillis += (answer - service.answerMillis) / 8;
  }

  /** The service asked to be left alone for so many milliseconds. Gives until when the whole channel is, or 0. */
  leaveAlone(name: string, now: number, millis: number): number {
    const service = this.#of(name);
    service.pausedUntil = Math.max(service.pausedUntil, now + Math.min(longestPause, millis));
    return this.#isLimited ? 0 : service.pausedUntil;
  }
}
