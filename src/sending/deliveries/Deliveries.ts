import { Context, Effect, Layer } from "effect";
import { cooldownName, firstOfCooldowns } from "./Cooldown.ts";
import { DeliveriesSql } from "./DeliveriesSql.ts";
import {
  type DeliveryStatus,
  type DueDelivery,
  type InitialStatus,
  initialStatus,
  quietStatus,
} from "./Delivery.ts";
import { countEnrolled } from "../arms/EnrolmentMetrics.ts";
import { countQuiet } from "./QuietMetrics.ts";
import { PaceLedgerSql } from "../pacing/PaceLedgerSql.ts";
import { PushCredentials } from "../credentials/PushCredentials.ts";

/** A delivery that was created. */
export interface CreatedDelivery {
  readonly sourceId: bigint;
  readonly status: DeliveryStatus;
}

/** A due delivery with its index in the list. */
interface RankedDelivery extends DueDelivery, InitialStatus {
  readonly index: number;
}

const isPush = ({ transport }: DueDelivery) => transport !== "inbox";
const tenantOf = ({ environment, workspaceId }: DueDelivery) => `${workspaceId}/${environment}`;

/**
 * Creates deliveries within frequency caps and cooldowns. `DeliveriesSql.ts` has the statement that decides.
 */
export class Deliveries extends Context.Service<
  Deliveries,
  {
    /**
     * Creates the deliveries that no frequency cap and no cooldown holds back and no quiet hours drop,
     * earlier ones first, and enrols their units. Returns one entry for each, null for one that is not
     * created, also because its unit is held out. Exact under
     * concurrency if the transaction has locked the rows of all their devices (contract L4, P4). A delivery
     * commits together with the event that triggered it, or not at all (contract L5).
     */
    readonly create: (
      due: ReadonlyArray<DueDelivery>,
    ) => Effect.Effect<ReadonlyArray<CreatedDelivery | null>>;
  }
>()("waypost/sending/Deliveries") {
  static readonly layer = Layer.effect(
    Deliveries,
    Effect.gen(function* () {
      const repository = yield* DeliveriesSql;
      const credentials = yield* PushCredentials;
      const ledger = yield* PaceLedgerSql;

      /** Adds the initial statuses. Reads the credentials of all environments in one statement. */
      const withStatuses = Effect.fnUntraced(function* (due: ReadonlyArray<DueDelivery>) {
        const tenants = new Map(due.filter(isPush).map((delivery) => [tenantOf(delivery), delivery]));
        const configured = tenants.size === 0 ? [] : yield* credentials.configured([...tenants.values()]);
        const byTenant = new Map([...tenants.keys()].map((tenant, index) => [tenant, configured[index]]));
        return due.map((delivery, index) => {
          const providers = byTenant.get(tenantOf(delivery)) ?? new Set();
          const { failure, transport } = delivery;
          // A held message is rendered when it is made (contract Y21), so it can fail then.
          const quiet = failure !== null && delivery.quiet?.action === "hold" ? null : delivery.quiet;
          // A message that quiet hours drop enrols nobody, and one that they hold does, held out or not.
          const status: InitialStatus =
            delivery.arm?.isHeldOut === true && quiet?.action !== "drop"
              ? { status: "held_out", lastError: null }
              : quiet !== null
                ? quietStatus(quiet)
                : failure === null
                  ? initialStatus(transport, providers)
                  : { status: "failed", lastError: failure };
          return { ...delivery, quiet, ...status, index };
        });
      });

      /**
       * Locks the people whose devices share a cap or a cooldown, or are one unit of an experiment: the lock
       * of one device is not enough.
       */
      const lockUsers = (due: ReadonlyArray<DueDelivery>) => {
        const shared = due.flatMap(
          ({ arm, cap, cooldownSince, environment, sharedBy, userKey, workspaceId }) => {
            const person =
              arm?.enrols === true ? userKey : cap === null && cooldownSince === null ? null : sharedBy;
            return person === null ? [] : [{ workspaceId, environment, userKey: person }];
          },
        );
        const people = new Map(shared.map((person) => [person.userKey, person]));
        return people.size === 0 ? Effect.void : repository.lockUsers([...people.values()]);
      };

      return Deliveries.of({
        create: Effect.fnUntraced(function* (due) {
          const created: Array<CreatedDelivery | null> = due.map(() => null);
          if (due.length === 0) return created;
          yield* lockUsers(due);
          const cooling = new Set<string | null>();
          let rows: ReadonlyArray<RankedDelivery> = yield* withStatuses(due);
          while (rows.length > 0) {
            const [first, later] = firstOfCooldowns(rows);
            const allowed = yield* repository.insertWithinCaps(first);
            yield* countEnrolled(allowed[0]);
            for (const { ord, sourceId } of allowed) {
              const row = first[ord - 1];
              if (row === undefined || row.status === "held_out") continue;
              if (row.quiet !== null) yield* countQuiet({ action: row.quiet.action });
              if (row.status === "dropped") continue;
              created[row.index] = { sourceId, status: row.status };
              // A failed delivery begins no cooldown.
              if (row.status !== "failed") cooling.add(cooldownName(row));
            }
            rows = later.filter((row) => !cooling.has(cooldownName(row)));
          }
          yield* ledger.add(
            due.flatMap((delivery, index) => {
              const one = created[index];
              return delivery.isPaced && one?.status === "delivered"
                ? [{ ...delivery, sourceId: one.sourceId, permits: 1 }]
                : [];
            }),
          );
          return created;
        }),
      });
    }),
  ).pipe(Layer.provide([DeliveriesSql.layer, PaceLedgerSql.layer]));
}
