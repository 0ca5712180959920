import { Clock, Context, Effect, Layer } from "effect";
import { WorkspaceChanges } from "../database/WorkspaceChanges.ts";
import { NotFound } from "../wire/ApiError.ts";
import { idAt, isUuid } from "../wire/Ids.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import type { TenantKey } from "./Environment.ts";
import type { WorkspaceDraft, WorkspacePatch } from "./Workspace.ts";
import { WorkspacesRepository } from "./WorkspacesRepository.ts";
import { utcZone } from "../time/TimeZone.ts";

const notFound = NotFound.of("There is no workspace with this id.");

/** Workspaces, which the operator manages. */
export class Workspaces extends Context.Service<Workspaces>()("waypost/workspaces/Workspaces", {
  make: Effect.gen(function* () {
    const repository = yield* WorkspacesRepository;
    const changes = yield* WorkspaceChanges;

    const find = Effect.fnUntraced(function* (publicId: string) {
      const row = isUuid(publicId) ? yield* repository.find(publicId) : null;
      return row ?? (yield* notFound);
    });

    return {
      create: Effect.fn("Workspaces.create")(function* (body: ParsedBody<WorkspaceDraft>) {
        const { name, plan = {}, timezone = utcZone } = yield* body.complete;
        const now = yield* Clock.currentTimeMillis;
        return (yield* repository.insert({ publicId: idAt(now), name, timezone, plan }, now)).workspace;
      }),

      page: Effect.fn("Workspaces.page")(function* (position: PagePosition) {
        return (yield* repository.page(position)).map(({ workspace }) => workspace);
      }),

      /** The workspace with its internal key. @throws 404 */
      find,

      /** The workspace of an internal key. An unknown key is a defect. */
      get: Effect.fnUntraced(function* (workspaceId: number) {
        return (yield* repository.findByKey(workspaceId)) ?? (yield* Effect.die(notFound));
      }),

      /**
       * Changes what the body names. Reports follow a new time zone at once (contract K6). @throws 404, 422
       */
      update: Effect.fn("Workspaces.update")(function* (publicId: string, body: ParsedBody<WorkspacePatch>) {
        const patch = yield* body.complete;
        const now = yield* Clock.currentTimeMillis;
        const row = isUuid(publicId) ? yield* repository.update(publicId, patch, now) : null;
        if (row === null) return yield* notFound;
        yield* changes.announce(row.workspaceId);
        return row.workspace;
      }),

      /** Locks the tenant until the end of the transaction. Call it before counting what a plan limits. */
      lock: (tenant: TenantKey) => repository.lock(tenant),
    };
  }),
}) {
  static readonly layer = Layer.effect(Workspaces, Workspaces.make);
}
