import { Clock, Context, Effect, Layer } from "effect";
import { Database } from "../../../database/Database.ts";
import { distinctTenants } from "../../../database/TenantColumns.ts";
import { Worker } from "../../../workers/Worker.ts";
import { countsOf, workspaceTurns } from "../../../workers/WorkspaceTurns.ts";
import { HeldDeliveriesSql } from "./HeldDeliveriesSql.ts";
import { released } from "./HeldDelivery.ts";
import { PaceLedgerSql } from "../../pacing/PaceLedgerSql.ts";
import { PushCredentials } from "../../credentials/PushCredentials.ts";
import { countReleased } from "../../deliveries/QuietMetrics.ts";

/** Deliveries that are released in one transaction of about a tenth of a second. */
export const ReleasePageSize = Context.Reference("waypost/sending/ReleasePageSize", {
  defaultValue: () => 2_000,
});
const pollInterval = "500 millis";
/** The pause between pages, in which the database is free for requests. */
const pagePause = "10 millis";

const outcomes = ["queued", "delivered", "failed"] as const;

/**
 * Releases held deliveries when their quiet hours end (contract P2): whether each can be sent is decided
 * then. Processes with the role `worker` share the work by locks. What a process that dies has not committed
 * is released by the next.
 */
export class HeldDeliveries extends Context.Service<HeldDeliveries>()("waypost/sending/HeldDeliveries", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* HeldDeliveriesSql;
    const credentials = yield* PushCredentials;
    const ledger = yield* PaceLedgerSql;

    const releasePage = Effect.fnUntraced(function* (workspaceIds: ReadonlyArray<number>, limit: number) {
      const now = yield* Clock.currentTimeMillis;
      const pages = yield* Effect.forEach(workspaceIds, (id) => repository.lock(id, now, limit));
      const held = pages.flat();
      if (held.length === 0) return [];
      const tenants = distinctTenants(held);
      const configured = yield* credentials.configured(tenants);
      const nameOf = ({ environment, workspaceId }: (typeof tenants)[number]) =>
        `${workspaceId}/${environment}`;
      const byTenant = new Map(tenants.map((tenant, index) => [nameOf(tenant), configured[index]]));
      const deliveries = held.map((each) => released(each, byTenant.get(nameOf(each)) ?? new Set(), now));
      yield* repository.lockSends(deliveries);
      yield* repository.release(deliveries, now);
      const delivered = deliveries.filter(({ isPaced, status }) => isPaced && status === "delivered");
      yield* ledger.add(delivered.map((each) => ({ ...each, permits: 1 })));
      return deliveries;
    }, database.atomically);

    /** Releases all that are due; workspaces take turns. */
    const releaseDue = yield* workspaceTurns({
      what: "held deliveries",
      find: repository.dueWorkspaces,
      take: Effect.fnUntraced(function* (workspaceIds, limit) {
        const deliveries = yield* releasePage(workspaceIds, limit);
        for (const outcome of outcomes) {
          const size = deliveries.filter(({ status }) => status === outcome).length;
          if (size > 0) yield* countReleased({ outcome }, size);
        }
        if (deliveries.length >= limit) yield* Effect.sleep(pagePause);
        return countsOf(workspaceIds, deliveries);
      }),
      pageSize: ReleasePageSize,
    });

    yield* Worker.every("held_deliveries", pollInterval, releaseDue, { isTraced: false });
    return { releaseDue };
  }),
}) {
  static readonly layer = Layer.effect(HeldDeliveries, HeldDeliveries.make).pipe(
    Layer.provide([HeldDeliveriesSql.layer, PaceLedgerSql.layer]),
  );
}
