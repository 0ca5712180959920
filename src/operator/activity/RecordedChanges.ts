import { Effect } from "effect";
import type { Revocation, SdkKey, SdkKeyDraft, Token, TokenDraft } from "../../access/Token.ts";
import { Tokens } from "../../access/Tokens.ts";
import { Activity, type ResourceChange } from "../../activity/Activity.ts";
import type { RecordedFields } from "../../activity/ActivityChanges.ts";
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
export const recordedChanges = Effect.gen(function* () {
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

  const recordCredential = (
    workspaceId: number,
    credential: Token | SdkKey,
    change: Pick<ResourceChange, "action" | "before" | "after">,
  ) => {
    const { environment, id, name } = credential;
    const type = "abilities" in credential ? "token" : "sdk_key";
    return activity.record({ workspaceId, environment }, { ...change, resource: { type, id, name } });
  };

  const issue = <A extends Token | SdkKey, E, R>(workspaceId: number, issued: Effect.Effect<A, E, R>) =>
    Effect.tap(issued, (credential) =>
      recordCredential(workspaceId, credential, {
        action: "create",
        before: null,
        after: fieldsOf(credential),
      }),
    ).pipe(database.atomically);

  const revoke = <E, R>(workspaceId: number, revoked: Effect.Effect<Revocation<Token | SdkKey>, E, R>) =>
    announced(
      workspaceId,
      Effect.gen(function* () {
        const { credential, isNew } = yield* revoked;
        const { id, revoked_at } = credential;
        const before = { revoked_at: isNew ? null : revoked_at };
        yield* recordCredential(workspaceId, credential, { action: "revoke", before, after: { revoked_at } });
        return { id, deleted: true as const };
      }),
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
      issue(workspaceId, tokens.issueToken(workspaceId, body)),

    revokeToken: (workspaceId: number, id: string) =>
      revoke(workspaceId, tokens.revokeToken(workspaceId, id)),

    issueSdkKey: (workspaceId: number, environment: Environment, body: ParsedBody<SdkKeyDraft>) =>
      issue(workspaceId, tokens.issueSdkKey(workspaceId, environment, body)),

    revokeSdkKey: (workspaceId: number, environment: Environment, id: string) =>
      revoke(workspaceId, tokens.revokeSdkKey(workspaceId, environment, id)),
  };
});

/** The recorded fields of a new credential. */
const fieldsOf = (credential: Token | SdkKey): RecordedFields => {
  const { environment, name } = credential;
  if (!("abilities" in credential)) return { name, environment };
  return { name, environment, abilities: credential.abilities, expires_at: credential.expires_at };
};
