import { PgClient } from "@effect/sql-pg";
import { Context, Effect, Layer, Queue, Schedule } from "effect";
import { countListenDrop } from "./DatabaseMetrics.ts";

const channel = "waypost_workspace";

/** The internal key of a workspace, or "all" when any workspace may have changed. */
type Change = number | "all";

/**
 * Invalidates caches when a workspace or one of its tokens changes: in this process before `announce`
 * returns, in other processes when they receive PostgreSQL's notification.
 */
export class WorkspaceChanges extends Context.Service<WorkspaceChanges>()(
  "waypost/database/WorkspaceChanges",
  {
    make: Effect.gen(function* () {
      const sql = yield* PgClient.PgClient;
      const listeners = new Set<(change: Change) => void>();
      const publish = (change: Change) =>
        Effect.sync(() => listeners.forEach((listener) => listener(change)));

      // Notifications may be lost together with their connection, so a lost one invalidates everything.
      yield* Effect.scoped(
        Effect.gen(function* () {
          const notifications = yield* sql.listen(channel);
          yield* publish("all");
          return yield* Effect.forever(
            Effect.flatMap(Queue.take(notifications), ({ payload }) => publish(Number(payload))),
          );
        }),
      ).pipe(
        Effect.tapError(() => Effect.andThen(countListenDrop, publish("all"))),
        Effect.retry(Schedule.spaced("1 second")),
        Effect.forkScoped,
      );

      return {
        /** Calls the listener with each change while the scope is open. */
        listen: (listener: (change: Change) => void) =>
          Effect.acquireRelease(
            Effect.sync(() => listeners.add(listener)),
            () => Effect.sync(() => listeners.delete(listener)),
          ),
        /** Announces a change of the workspace to all processes. */
        announce: (workspaceId: number) =>
          Effect.andThen(Effect.orDie(sql.notify(channel, String(workspaceId))), publish(workspaceId)),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(WorkspaceChanges, WorkspaceChanges.make);
}
