import * as Rule from "./ConcurrencyRule.ts";

/** Devices and webhooks name arbitrary destinations: with more than this, idle ones are forgotten. */
const maxDestinations = 10_000;

/** The limits of destinations by name, and their calls in flight together. */
export class ConcurrencyLimits {
  readonly #bounds: Rule.Bounds;
  readonly #states = new Map<string, Rule.DestinationState>();
  /** All calls in flight, and those to destinations whose last call has failed. */
  inFlight = 0;
  suspect = 0;

  constructor(bounds: Rule.Bounds) {
    this.#bounds = bounds;
  }

  of(name: string): Rule.DestinationState {
    return this.#states.get(name) ?? Rule.initialState(this.#bounds);
  }

  started(name: string, count: number): void {
    this.#set(name, Rule.started(this.of(name), count));
  }

  /** A call ended after so many milliseconds; without a verdict if it was abandoned. */
  ended(name: string, verdict: Rule.Verdict | null, millis: number, now: number): void {
    this.#set(name, Rule.ended(this.#bounds, this.of(name), verdict, millis, now));
  }

  /** Starts nothing before this instant. */
  backOff(name: string, until: number): void {
    this.#set(name, Rule.backedOff(this.of(name), until));
  }

  #set(name: string, next: Rule.DestinationState): void {
    const before = this.of(name);
    this.inFlight += next.inFlight - before.inFlight;
    this.suspect += suspectOf(next) - suspectOf(before);
    if (this.#states.size >= maxDestinations && !this.#states.has(name)) {
      for (const [each, { inFlight }] of this.#states) if (inFlight === 0) this.#states.delete(each);
    }
    this.#states.set(name, next);
  }
}

const suspectOf = ({ failures, inFlight }: Rule.DestinationState): number => (failures > 0 ? inFlight : 0);
