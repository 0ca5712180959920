import { Clock, Context, Effect, Layer } from "effect";
import { CurrentActor } from "../access/Actor.ts";
import { pipelined } from "../database/pool/TransactionConnection.ts";
import { idAt } from "../wire/Ids.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import { changesOf, type RecordedFields } from "./ActivityChanges.ts";
import type { ActivityAction, ActivityEntry, ActivityResource } from "./ActivityEntry.ts";
import type { ActivityFilters } from "./ActivityFilters.ts";
import { ActivitySql } from "./ActivitySql.ts";

/** A change of a resource as the service that makes it reports it. */
export interface ResourceChange {
  /** The id of the entry, if a later transaction of the same change replaces what it says. */
  readonly id?: string;
  readonly action: ActivityAction;
  readonly resource: ActivityResource;
  /** Its fields before the change; null if it did not exist. `id` and instants of changes are ignored. */
  readonly before: RecordedFields | null;
  /** Its fields after the change; null if it no longer exists. */
  readonly after: RecordedFields | null;
  /** Whether the values are secret, so that the entry names the changed fields only. */
  readonly isSecret?: boolean;
}

/** The changes of an environment by any interface (contract S5). */
export class Activity extends Context.Service<
  Activity,
  {
    /**
     * Writes one entry for a change by the `CurrentActor`, without waiting for it. Call it in the transaction
     * of the change. A change that changes no field writes nothing, nor does one outside a request.
     */
    readonly record: (tenant: TenantKey, change: ResourceChange) => Effect.Effect<void>;
    /** Newest first. */
    readonly page: (
      tenant: TenantKey,
      position: PagePosition,
      filters: ActivityFilters,
    ) => Effect.Effect<ReadonlyArray<ActivityEntry>>;
  }
>()("waypost/activity/Activity") {
  static readonly layer = Layer.effect(
    Activity,
    Effect.map(ActivitySql, (repository) => {
      return Activity.of({
        record: Effect.fnUntraced(function* (tenant, { action, after, before, id, isSecret, resource }) {
          const actor = yield* CurrentActor;
          const changes = changesOf(before, after, isSecret);
          if (actor === null || Object.keys(changes).length === 0) return;
          const at = yield* Clock.currentTimeMillis;
          yield* repository.put(tenant, { id: id ?? idAt(at), at, actor, action, resource, changes });
        }, pipelined),
        page: repository.page,
      });
    }),
  );
}
