import { PgClient } from "@effect/sql-pg";
import { Context, Duration, Effect, Layer, Queue, Schedule, type Scope } from "effect";
import { countListenDrop } from "./DatabaseMetrics.ts";

const channel = "waypost_workspace";

type Listener = (workspaceId: number | "all") => void;

/** Invalidates what processes cache of a workspace and its tokens. */
export class WorkspaceChanges extends Context.Service<
  WorkspaceChanges,
  {
    /**
     * Calls the listener with the internal key of each workspace that changes, or "all", until the scope
     * closes.
     */
    readonly listen: (listener: Listener) => Effect.Effect<void, never, Scope.Scope>;
    /**
     * Announces a change: to this process before it returns, to the others as soon as PostgreSQL's
     * notification reaches them.
     */
    readonly announce: (workspaceId: number) => Effect.Effect<void>;
  }
>()("waypost/database/WorkspaceChanges") {
  /** Over LISTEN and NOTIFY. */
  static readonly layer = Layer.effect(
    WorkspaceChanges,
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient;
      const listeners = new Set<Listener>();
      const notify = (workspaceId: number | "all"): void => {
        for (const listener of listeners) listener(workspaceId);
      };
      yield* Effect.scoped(
        Effect.gen(function* () {
          const notifications = yield* sql.listen(channel);
          notify("all");
          return yield* Effect.forever(
            Effect.map(Queue.take(notifications), (notification) => notify(Number(notification.payload))),
          );
        }),
      ).pipe(
        // A lost connection may have lost notifications: everything that is cached is invalidated.
        Effect.tapError(() =>
          Effect.andThen(
            countListenDrop,
            Effect.sync(() => notify("all")),
          ),
        ),
        Effect.retry(Schedule.spaced(Duration.seconds(1))),
        Effect.forkScoped,
      );
      return {
        listen: (listener) =>
          Effect.asVoid(
            Effect.acquireRelease(
              Effect.sync(() => listeners.add(listener)),
              () => Effect.sync(() => listeners.delete(listener)),
            ),
          ),
        announce: (workspaceId) =>
          Effect.andThen(
            Effect.orDie(sql.notify(channel, String(workspaceId))),
            Effect.sync(() => notify(workspaceId)),
          ),
      };
    }),
  );
}
