/** Limits on the in-flight pushes of one push service. */
const initialLimit = 16;
const maxLimit = 128;
/** The longest back-off in milliseconds, whatever a service asks for: others may share its name. */
const maxBackOffMillis = 60_000;
const maxServices = 1_000;
const [minResponseMillis, maxResponseMillis] = [5, 10_000];

interface Service {
  inFlight: number;
  limit: number;
  /** Moving average of the response time, in milliseconds. */
  responseMillis: number;
  pausedUntil: number;
  /** When the last postponed push is due again. */
  queuedUntil: number;
}

/**
 * In-flight limits of the push services behind one channel, by name, so that a slow one does not hold up the
 * others. AIMD: a response raises the limit by one, a missing one halves it. Instants are epoch milliseconds.
 */
export class ProviderConcurrency {
  readonly #services = new Map<string, Service>();
  readonly #isLimited: boolean;

  /** Unlimited for a channel with one service: the limit of its queue partition is enough. */
  constructor(isLimited: boolean) {
    this.#isLimited = isLimited;
  }

  #of(name: string): Service {
    const found = this.#services.get(name);
    if (found !== undefined) return found;
    // Devices register arbitrary addresses, so idle services are forgotten.
    if (this.#services.size >= maxServices) {
      for (const [each, { inFlight }] of this.#services) if (inFlight === 0) this.#services.delete(each);
    }
    const limit = this.#isLimited ? initialLimit : Infinity;
    const service = { inFlight: 0, limit, responseMillis: 50, pausedUntil: 0, queuedUntil: 0 };
    this.#services.set(name, service);
    return service;
  }

  /** Decides on the pushes of one batch: returns null for one to send now, else when it is due again. */
  limiter(now: number): (name: string) => number | null {
    const allowed = new Map<string, number>();
    return (name) => {
      const service = this.#of(name);
      const count = allowed.get(name) ?? 0;
      if (now >= service.pausedUntil && service.inFlight + count < service.limit) {
        allowed.set(name, count + 1);
        return null;
      }
      // Postponed pushes return as fast as the service could take them at its highest limit and current
      // response time.
      const earliest = Math.max(service.pausedUntil, now + service.responseMillis);
      const next = Math.max(earliest, service.queuedUntil + service.responseMillis / maxLimit);
      service.queuedUntil = Math.min(next, now + maxBackOffMillis);
      return Math.ceil(service.queuedUntil);
    };
  }

  started(name: string): void {
    this.#of(name).inFlight += 1;
  }

  /** A push ended after so many milliseconds, with a response or without. */
  ended(name: string, millis: number, isAnswered: boolean): void {
    const service = this.#of(name);
    service.inFlight = Math.max(0, service.inFlight - 1);
    if (this.#isLimited) {
      service.limit = isAnswered
        ? Math.min(maxLimit, service.limit + 1)
        : Math.max(initialLimit, Math.floor(service.limit / 2));
    }
    const response = Math.min(maxResponseMillis, Math.max(minResponseMillis, millis));
    service.responseMillis += (response - service.responseMillis) / 8;
  }

  /** Backs off from a service for so many milliseconds. Returns until when the whole channel pauses, or 0. */
  backOff(name: string, now: number, millis: number): number {
    const service = this.#of(name);
    service.pausedUntil = Math.max(service.pausedUntil, now + Math.min(maxBackOffMillis, millis));
    return this.#isLimited ? 0 : service.pausedUntil;
  }
}
