import { Clock, Context, Effect, Layer } from "effect";
import { NotFound } from "../wire/ApiError.ts";
import { idAt, isUuid } from "../wire/Ids.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import type { Tenant, WorkspaceDraft, WorkspacePatch } from "./Workspace.ts";
import { WorkspaceChanges } from "../database/WorkspaceChanges.ts";
import { type WorkspaceRow, WorkspacesSql } from "./WorkspacesSql.ts";

/** Workspaces, as the operator keeps them. */
export class Workspaces extends Context.Service<Workspaces>()("waypost/workspaces/Workspaces", {
  make: Effect.gen(function* () {
    const repository = yield* WorkspacesSql;
    const changes = yield* WorkspaceChanges;

    const one = (rows: ReadonlyArray<WorkspaceRow>) => {
      const row = rows[0];
      return row === undefined
        ? Effect.fail(NotFound.of("There is no workspace with this id."))
        : Effect.succeed(row);
    };

    return {
      create: Effect.fn("Workspaces.create")(function* (body: ParsedBody<WorkspaceDraft>) {
        const draft = yield* body.complete;
        const now = yield* Clock.currentTimeMillis;
        const rows = yield* repository.insert(
          idAt(now),
          draft.name,
          draft.timezone ?? "UTC",
          draft.plan ?? {},
          now,
        );
        return (yield* Effect.orDie(one(rows))).workspace;
      }),

      page: Effect.fn("Workspaces.page")(function* (position: PagePosition) {
        return (yield* repository.page(position)).map((row) => row.workspace);
      }),

      /** The row with its internal key. @throws 404 */
      find: (publicId: string) =>
        isUuid(publicId) ? Effect.flatMap(repository.find(publicId), one) : one([]),

      /** The row of an internal key that is known to exist. */
      get: (workspaceId: number) => Effect.orDie(Effect.flatMap(repository.findById(workspaceId), one)),

      /** Takes what was sent and keeps the rest; the figures of reports follow the time zone at once (contract K6). */
      update: Effect.fn("Workspaces.update")(function* (publicId: string, body: ParsedBody<WorkspacePatch>) {
        const patch = yield* body.complete;
        const now = yield* Clock.currentTimeMillis;
        const rows = isUuid(publicId)
          ? yield* repository.update(
              publicId,
              {
                name: patch.name,
                timezone: patch.timezone,
                platformApiEnabled: patch.platform_api_enabled,
                deletionScheduled: patch.deletion_scheduled,
                trialEnded: patch.trial_ended,
                defaultFrequencyCap: patch.default_frequency_cap,
                plan: patch.plan,
              },
              now,
            )
          : [];
        const row = yield* one(rows);
        yield* changes.announce(row.workspaceId);
        return row.workspace;
      }),

      /** Holds the tenant until the end of the transaction: call it before counting what a plan limits. */
      lock: (tenant: Tenant) => repository.lock(tenant.workspaceId, tenant.environment),
    };
  }),
}) {
  static readonly layerNoDeps = Layer.effect(Workspaces, Workspaces.make);
  static readonly layer = Workspaces.layerNoDeps.pipe(Layer.provide([WorkspacesSql.layer]));
}
