import { Context, type Effect } from "effect";
import type { MediaKind } from "../workspaces/Plan.ts";

/** The state of a file's thumbnail. */
export interface ThumbnailState {
  readonly workspaceId: number;
  readonly kind: MediaKind;
  readonly thumbnail: "none" | "pending" | "ready" | "failed";
  /** When a pending thumbnail may be leased, in milliseconds since 1970; null in all other states. */
  readonly due: number | null;
}

/** A pending thumbnail that this process may draw until the lease expires. */
export interface ThumbnailLease {
  readonly workspaceId: number;
  readonly key: string;
  /** Attempts so far, including this one. */
  readonly attempts: number;
}

/** The rotation over the workspaces with due thumbnails, in the order of their ids. */
export interface ThumbnailRotation {
  /** The workspace before: the next one follows. */
  readonly after: number;
  /** Workspaces that are left out, at most a few. */
  readonly except: ReadonlyArray<number>;
}

/** Stores the states of thumbnails. Keys are unique over all tenants; instants are in epoch milliseconds. */
export class ThumbnailsRepository extends Context.Service<
  ThumbnailsRepository,
  {
    readonly find: (key: string) => Effect.Effect<ThumbnailState | null>;
    /**
     * Leases a due thumbnail until `expiry`: of the next workspace, the one due longest. Null if there is
     * none up to the last workspace.
     */
    readonly lease: (
      now: number,
      expiry: number,
      rotation: ThumbnailRotation,
    ) => Effect.Effect<ThumbnailLease | null>;
    /** Leases the thumbnail of this key until `expiry`, if it is pending and due by `dueBy`. */
    readonly leaseOne: (key: string, dueBy: number, expiry: number) => Effect.Effect<ThumbnailLease | null>;
    /** Ends a pending thumbnail. */
    readonly settle: (key: string, state: "ready" | "failed") => Effect.Effect<void>;
    /** Releases a lease: the thumbnail is due again at `due`, after `attempts` attempts. */
    readonly release: (key: string, due: number, attempts: number) => Effect.Effect<void>;
  }
>()("waypost/media/ThumbnailsRepository") {}
