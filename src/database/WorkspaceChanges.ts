import { PgClient } from "@effect/sql-pg";
import { Context, Duration, Effect, Layer, Queue, Schedule } from "effect";
import { countListenDrop } from "./DatabaseMetrics.ts";

const channel = "waypost_workspace";

/**
 * Tells every process that a workspace, or a token of it, has changed, so that what they remember of it is forgotten:
 * this process before `announce` returns, the others as soon as PostgreSQL's notification reaches them.
 */
export class WorkspaceChanges extends Context.Service<WorkspaceChanges>()(
  "waypost/database/WorkspaceChanges",
  {
    make: Effect.gen(function* () {
      const sql = yield* PgClient.PgClient;
      const listeners = new Set<(workspaceId: number | "all") => void>();
      const tell = (workspaceId: number | "all") => {
        for (const listener of listeners) listener(workspaceId);
      };

      // A lost connection may have lost notifications with it: then everything is forgotten.
      yield* Effect.scoped(
        Effect.gen(function* () {
          const notifications = yield* sql.listen(channel);
          tell("all");
          return yield* Effect.forever(
            Effect.map(Queue.take(notifications), (notification) => tell(Number(notification.payload))),
          );
        }),
      ).pipe(
        Effect.tapError(() =>
          Effect.andThen(
            countListenDrop,
            Effect.sync(() => tell("all")),
          ),
        ),
        Effect.retry(Schedule.spaced(Duration.seconds(1))),
        Effect.forkScoped,
      );

      return {
        /** Calls the listener with the internal key of each workspace that changes, or "all", while the scope is open. */
        listen: (listener: (workspaceId: number | "all") => void) =>
          Effect.acquireRelease(
            Effect.sync(() => listeners.add(listener)),
            () => Effect.sync(() => listeners.delete(listener)),
          ),
        announce: (workspaceId: number) =>
          Effect.andThen(
            Effect.orDie(sql.notify(channel, String(workspaceId))),
            Effect.sync(() => tell(workspaceId)),
          ),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(WorkspaceChanges, WorkspaceChanges.make);
}
