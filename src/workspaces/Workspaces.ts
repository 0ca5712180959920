import { Clock, Context, Effect, Layer } from "effect";
import { WorkspaceChanges } from "../database/WorkspaceChanges.ts";
import { NotFound, type Unprocessable } from "../wire/ApiError.ts";
import { idAt, isUuid } from "../wire/Ids.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import type { TenantKey } from "./Environment.ts";
import type { Workspace, WorkspaceDraft, WorkspacePatch } from "./Workspace.ts";
import { type WorkspaceRow, WorkspacesSql } from "./WorkspacesSql.ts";
import { utcZone } from "../time/TimeZone.ts";

const notFound = NotFound.of("There is no workspace with this id.");

/** Workspaces, which the operator manages. */
export class Workspaces extends Context.Service<
  Workspaces,
  {
    readonly create: (body: ParsedBody<WorkspaceDraft>) => Effect.Effect<Workspace, Unprocessable>;
    readonly page: (position: PagePosition) => Effect.Effect<ReadonlyArray<Workspace>>;
    /** The workspace with its internal key. @throws 404 */
    readonly find: (publicId: string) => Effect.Effect<WorkspaceRow, NotFound>;
    /** The workspace of an internal key. An unknown key is a defect. */
    readonly get: (workspaceId: number) => Effect.Effect<WorkspaceRow>;
    /** Changes what the body names. Reports follow a new time zone at once (contract K6). @throws 404, 422 */
    readonly update: (
      publicId: string,
      body: ParsedBody<WorkspacePatch>,
    ) => Effect.Effect<Workspace, NotFound | Unprocessable>;
    /** Locks the tenant until the end of the transaction. Call it before counting what a plan limits. */
    readonly lock: (tenant: TenantKey) => Effect.Effect<void>;
  }
>()("waypost/workspaces/Workspaces") {
  static readonly layer = Layer.effect(
    Workspaces,
    Effect.gen(function* () {
      const repository = yield* WorkspacesSql;
      const changes = yield* WorkspaceChanges;

      const find = Effect.fnUntraced(function* (publicId: string) {
        const row = isUuid(publicId) ? yield* repository.find(publicId) : null;
        return row ?? (yield* notFound);
      });

      return Workspaces.of({
        create: Effect.fn("Workspaces.create")(function* (body) {
          const { name, plan = {}, timezone = utcZone } = yield* body.complete;
          const now = yield* Clock.currentTimeMillis;
          return (yield* repository.insert({ publicId: idAt(now), name, timezone, plan }, now)).workspace;
        }),

        page: Effect.fn("Workspaces.page")(function* (position) {
          return (yield* repository.page(position)).map(({ workspace }) => workspace);
        }),

        find,

        get: Effect.fnUntraced(function* (workspaceId) {
          return (yield* repository.findByKey(workspaceId)) ?? (yield* Effect.die(notFound));
        }),

        update: Effect.fn("Workspaces.update")(function* (publicId, body) {
          const patch = yield* body.complete;
          const now = yield* Clock.currentTimeMillis;
          const row = isUuid(publicId) ? yield* repository.update(publicId, patch, now) : null;
          if (row === null) return yield* notFound;
          yield* changes.announce(row.workspaceId);
          return row.workspace;
        }),

        lock: repository.lock,
      });
    }),
  );
}
