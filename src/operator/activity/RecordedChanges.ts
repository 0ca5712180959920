import { Context, Effect, Layer } from "effect";
import type { SdkKey, SdkKeyDraft, Token, TokenDraft } from "../../access/Token.ts";
import { Tokens } from "../../access/Tokens.ts";
import { Activity, type ResourceChange } from "../../activity/Activity.ts";
import { Database } from "../../database/Database.ts";
import { WorkspaceChanges } from "../../database/WorkspaceChanges.ts";
import type { ParsedBody } from "../../wire/ParsedBody.ts";
import { Environment } from "../../workspaces/Environment.ts";
import type { Workspace, WorkspaceDraft, WorkspacePatch } from "../../workspaces/Workspace.ts";
import { Workspaces } from "../../workspaces/Workspaces.ts";

/**
 * Changes of workspaces and their credentials, with their activity (contract S5). Only the operator makes
 * them, and their services are left of activity. Credentials are recorded without their secrets.
 */
export class RecordedChanges extends Context.Service<RecordedChanges>()("waypost/operator/RecordedChanges", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const workspaces = yield* Workspaces;
    const tokens = yield* Tokens;
    const activity = yield* Activity;
    const changes = yield* WorkspaceChanges;

    /**
     * Runs a change in a transaction. It is announced again after the commit: a request that ran before may
     * have cached what the change replaces.
     */
    const announced = <A, E, R>(workspaceId: number, change: Effect.Effect<A, E, R>) =>
      Effect.tap(database.atomically(change), () => changes.announce(workspaceId));

    /** A workspace belongs to both environments, so both lists have its changes. */
    const recordWorkspace = (workspaceId: number, before: Workspace | null, after: Workspace) =>
      Effect.forEach(
        Environment.literals,
        (environment) =>
          activity.record(
            { workspaceId, environment },
            {
              action: before === null ? "create" : "update",
              resource: { type: "workspace", id: after.id, name: after.name },
              before,
              after,
            },
          ),
        { discard: true },
      );

    return {
      createWorkspace: (body: ParsedBody<WorkspaceDraft>) =>
        Effect.gen(function* () {
          const workspace = yield* workspaces.create(body);
          const { workspaceId } = yield* Effect.orDie(workspaces.find(workspace.id));
          yield* recordWorkspace(workspaceId, null, workspace);
          return workspace;
        }).pipe(database.atomically),

      updateWorkspace: Effect.fn("RecordedChanges.updateWorkspace")(function* (
        publicId: string,
        body: ParsedBody<WorkspacePatch>,
      ) {
        const { workspaceId } = yield* workspaces.find(publicId);
        return yield* announced(
          workspaceId,
          Effect.gen(function* () {
            // One lock suffices to keep concurrent changes of the workspace apart.
            yield* workspaces.lock({ workspaceId, environment: "production" });
            const before = (yield* workspaces.find(publicId)).workspace;
            const workspace = yield* workspaces.update(publicId, body);
            yield* recordWorkspace(workspaceId, before, workspace);
            return workspace;
          }),
        );
      }),

      issueToken: (workspaceId: number, body: ParsedBody<TokenDraft>) =>
        Effect.gen(function* () {
          const issued = yield* tokens.issueToken(workspaceId, body);
          const { environment } = issued;
          yield* activity.record({ workspaceId, environment }, tokenChange("create", issued, true));
          return issued;
        }).pipe(database.atomically),

      revokeToken: (workspaceId: number, id: string) =>
        announced(
          workspaceId,
          Effect.gen(function* () {
            const { credential, isNew } = yield* tokens.revokeToken(workspaceId, id);
            const { environment } = credential;
            yield* activity.record({ workspaceId, environment }, tokenChange("revoke", credential, isNew));
            return { id: credential.id, deleted: true as const };
          }),
        ),

      issueSdkKey: (workspaceId: number, environment: Environment, body: ParsedBody<SdkKeyDraft>) =>
        Effect.gen(function* () {
          const issued = yield* tokens.issueSdkKey(workspaceId, environment, body);
          yield* activity.record({ workspaceId, environment }, sdkKeyChange("create", issued, true));
          return issued;
        }).pipe(database.atomically),

      revokeSdkKey: (workspaceId: number, environment: Environment, id: string) =>
        announced(
          workspaceId,
          Effect.gen(function* () {
            const { credential, isNew } = yield* tokens.revokeSdkKey(workspaceId, environment, id);
            yield* activity.record({ workspaceId, environment }, sdkKeyChange("revoke", credential, isNew));
            return { id: credential.id, deleted: true as const };
          }),
        ),
    };
  }),
}) {
  static readonly layer = Layer.effect(RecordedChanges, RecordedChanges.make);
}

/** The change of a credential: an issue has all its fields, a revocation its instant. */
const credentialChange = (
  action: "create" | "revoke",
  type: "token" | "sdk_key",
  { id, name, revoked_at }: SdkKey,
  isNew: boolean,
  fields: object,
): ResourceChange => ({
  action,
  resource: { type, id, name },
  before: action === "create" ? null : { revoked_at: isNew ? null : revoked_at },
  after: action === "create" ? { name, ...fields } : { revoked_at },
});

const tokenChange = (action: "create" | "revoke", token: Token, isNew: boolean): ResourceChange => {
  const { abilities, environment, expires_at } = token;
  return credentialChange(action, "token", token, isNew, { environment, abilities, expires_at });
};

const sdkKeyChange = (action: "create" | "revoke", key: SdkKey, isNew: boolean): ResourceChange =>
  credentialChange(action, "sdk_key", key, isNew, { environment: key.environment });
