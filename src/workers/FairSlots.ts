/** Limits of `FairSlots`. */
export interface SlotLimits {
  readonly maxRunning: number;
  readonly maxRunningPerOwner: number;
  readonly maxWaitingPerOwner: number;
}

interface Claim {
  readonly owner: string;
  readonly grant: () => void;
}

/**
 * Slots for concurrent work of several owners. An owner holds a part of them at most, and its further claims
 * wait behind its own: those of other owners overtake them.
 */
export class FairSlots {
  readonly #limits: SlotLimits;
  readonly #running = new Set<Claim>();
  readonly #waiting = new Set<Claim>();

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  get running(): number {
    return this.#running.size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Claims a slot: `grant` is called once, at once or later. Gives the function that releases the slot, or
   * withdraws the claim; null if too many claims of the owner wait.
   */
  claim(owner: string, grant: () => void): (() => void) | null {
    if (countOf(this.#waiting, owner) >= this.#limits.maxWaitingPerOwner) return null;
    const claim = { owner, grant };
    this.#waiting.add(claim);
    this.#grantNext();
    return () => {
      this.#waiting.delete(claim);
      if (this.#running.delete(claim)) this.#grantNext();
    };
  }

  #grantNext(): void {
    for (const claim of this.#waiting) {
      if (this.#running.size >= this.#limits.maxRunning) return;
      if (countOf(this.#running, claim.owner) >= this.#limits.maxRunningPerOwner) continue;
      this.#waiting.delete(claim);
      this.#running.add(claim);
      claim.grant();
    }
  }
}

const countOf = (claims: ReadonlySet<Claim>, owner: string): number => {
  let count = 0;
  for (const claim of claims) if (claim.owner === owner) count++;
  return count;
};
