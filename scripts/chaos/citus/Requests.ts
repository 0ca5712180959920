import { setTimeout as delay } from "node:timers/promises";

const pauseMillis = 100;
const requestTimeoutMillis = 40_000;
/** Longer than any outage. */
const maxAttempts = 1_000;

/** An answer that repeating the request does not change. */
class Refused extends Error {}

/** Requests that are repeated until they succeed, and a count of what they met. */
export class Requests {
  /** Answers by status; 0 for a request without an answer. */
  readonly statuses = new Map<number, number>();
  successes = 0;
  /** Answers of 503 without `Retry-After`. */
  unadvised = 0;
  /** Bodies of answers of 500. */
  readonly errors: Array<string> = [];

  /**
   * Gives the data of the answer. A 409 is about a request with the same key that is still running. `pending`
   * is a status of what was written just before, as long as its node has not committed it.
   */
  async succeed<A>(url: string, init: RequestInit, pending?: number): Promise<A> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      try {
        return await this.#once<A>(url, init, pending);
      } catch (error) {
        if (error instanceof Refused) throw error;
      }
      await delay(pauseMillis);
    }
    throw new Error(`${init.method} ${url} has not succeeded`);
  }

  async #once<A>(url: string, init: RequestInit, pending: number | undefined): Promise<A> {
    let response: Response;
    try {
      response = await fetch(url, { ...init, signal: AbortSignal.timeout(requestTimeoutMillis) });
    } catch (error) {
      this.#count(0);
      throw error;
    }
    const { headers, status } = response;
    this.#count(status);
    const text = await response.text();
    if (response.ok) this.successes++;
    if (response.ok) return (JSON.parse(text) as { readonly data: A }).data;
    if (status === 503 && headers.get("retry-after") === null) this.unadvised++;
    if (status === 500) this.errors.push(text);
    if (status >= 500 || status === 409 || status === pending) throw new Error(text);
    throw new Refused(`${init.method} ${url}: ${status} ${text}`);
  }

  #count(status: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }
}
