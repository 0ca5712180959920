import type { Effect } from "effect";
import type { Ground } from "./Ground.ts";

/** A request that its endpoint takes. */
export interface GoodRequest {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON, or as it is where it is a form. */
  readonly body?: unknown;
  /** Instead of the ground's own, where the request ends its credential. */
  readonly credential?: string;
}

/** How to use an endpoint: every matrix starts from it. */
export interface Example {
  /** A request that succeeds, on things that nobody else uses. */
  readonly request: (ground: Ground) => Effect.Effect<GoodRequest>;
  /**
   * What the ids in the body and the query name: for each place (`location_ids.0`, or `?campaign` in the query) a kind of
   * `Ground.things`. The matrix puts ids of others there.
   */
  readonly names?: Readonly<Record<string, string>>;
  /** It brings together what the path names: any two of them are good, and not only those that belong together already. */
  readonly joins?: true;
}

/** Examples by method and path. */
export type Examples = Readonly<Record<string, Example>>;
