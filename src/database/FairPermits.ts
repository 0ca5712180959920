import { Effect } from "effect";

/** A request that waits for a permit. */
interface PermitRequest {
  isGranted: boolean;
  resume: () => void;
}

/**
 * Permits that are fair between tenants: of those that wait, each gets one before any gets another one.
 * So the requests of one tenant delay those of others by at most one permit.
 */
export class FairPermits {
  readonly #total: number;
  readonly #perTenant: number;
  /** The requests of each tenant. The tenant that gets the next one comes first. */
  readonly #waiting = new Map<number, ReadonlyArray<PermitRequest>>();
  /** The permits that each tenant has. */
  readonly #taken = new Map<number, number>();
  #inUse = 0;

  /** So many permits in all, and for one tenant. */
  constructor(total: number, perTenant: number) {
    this.#total = total;
    this.#perTenant = perTenant;
  }

  /**
   * Waits for a permit, which must be released; `bounded` can limit the wait. A wait that fails or is
   * interrupted takes none. The wait can be interrupted even if the caller cannot. The caller should not be:
   * it could be interrupted between getting the permit and knowing it.
   */
  take<E = never>(
    tenant: number,
    bounded: (wait: Effect.Effect<void>) => Effect.Effect<void, E> = (wait) => wait,
  ): Effect.Effect<void, E> {
    return Effect.suspend(() => {
      const request: PermitRequest = { isGranted: false, resume: () => undefined };
      const wait = Effect.callback<void>((resume) => {
        request.resume = () => resume(Effect.void);
        this.#waiting.set(tenant, [...(this.#waiting.get(tenant) ?? []), request]);
        this.#grant();
      });
      return Effect.onError(Effect.interruptible(bounded(wait)), () =>
        Effect.sync(() => this.#cancel(tenant, request)),
      );
    });
  }

  /** Whether the tenant gets a permit without waiting. */
  isFree(tenant: number): boolean {
    return this.#inUse < this.#total && this.#takenBy(tenant) < this.#perTenant;
  }

  /** Gives a permit back. */
  release(tenant: number): void {
    const left = this.#takenBy(tenant) - 1;
    if (left > 0) this.#taken.set(tenant, left);
    else this.#taken.delete(tenant);
    this.#inUse -= 1;
    this.#grant();
  }

  #cancel(tenant: number, request: PermitRequest): void {
    if (request.isGranted) return this.release(tenant);
    const others = (this.#waiting.get(tenant) ?? []).filter((each) => each !== request);
    if (others.length > 0) this.#waiting.set(tenant, others);
    else this.#waiting.delete(tenant);
  }

  #grant(): void {
    for (;;) {
      const tenant = this.#next();
      if (tenant === undefined) return;
      const [request, ...others] = this.#waiting.get(tenant) ?? [];
      // The tenant's next permit comes after those of all that wait now.
      this.#waiting.delete(tenant);
      if (others.length > 0) this.#waiting.set(tenant, others);
      if (request === undefined) continue;
      this.#taken.set(tenant, this.#takenBy(tenant) + 1);
      this.#inUse += 1;
      request.isGranted = true;
      request.resume();
    }
  }

  /** The tenant that gets the next permit; undefined if none can have one. */
  #next(): number | undefined {
    if (this.#inUse >= this.#total) return undefined;
    for (const tenant of this.#waiting.keys()) if (this.#takenBy(tenant) < this.#perTenant) return tenant;
    return undefined;
  }

  #takenBy(tenant: number): number {
    return this.#taken.get(tenant) ?? 0;
  }
}
