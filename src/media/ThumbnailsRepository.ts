import { Context, type Effect } from "effect";
import type { MediaKind } from "../workspaces/Plan.ts";

/** The state of a file's thumbnail. */
export interface ThumbnailState {
  readonly kind: MediaKind;
  readonly thumbnail: "none" | "pending" | "ready" | "failed";
  /** When a pending thumbnail may be leased, in milliseconds since 1970; null in all other states. */
  readonly due: number | null;
}

/** A pending thumbnail that this process may draw until the lease expires. */
export interface ThumbnailLease {
  readonly key: string;
  /** Attempts so far, including this one. */
  readonly attempts: number;
}

/** Stores the states of thumbnails. Keys are unique over all tenants; instants are in epoch milliseconds. */
export class ThumbnailsRepository extends Context.Service<
  ThumbnailsRepository,
  {
    readonly find: (key: string) => Effect.Effect<ThumbnailState | null>;
    /** Leases up to `limit` due thumbnails until `expiry`, those due longest first. */
    readonly lease: (
      now: number,
      expiry: number,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<ThumbnailLease>>;
    /** Leases the thumbnail of this key until `expiry`, if it is pending and due by `dueBy`. */
    readonly leaseOne: (key: string, dueBy: number, expiry: number) => Effect.Effect<ThumbnailLease | null>;
    /** Ends a pending thumbnail. */
    readonly settle: (key: string, state: "ready" | "failed") => Effect.Effect<void>;
    /** Releases a lease: the thumbnail is due again at `due`, after `attempts` attempts. */
    readonly release: (key: string, due: number, attempts: number) => Effect.Effect<void>;
  }
>()("waypost/media/ThumbnailsRepository") {}
