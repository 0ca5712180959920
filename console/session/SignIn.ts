/** Signing in and out. */
import { batch } from "@preact/signals";
import { call, request } from "../data/ApiCall.ts";
import type { ConsoleSession, One, Page, Workspace } from "../data/Resources.ts";
import { completeAddress, workspaces, type KnownWorkspace } from "./Scope.ts";
import { currentSession, leaveSession, startSession } from "./SessionState.ts";

const sessionPath = "/console/session";

/** Every workspace of the installation. */
const allWorkspaces = async (): Promise<ReadonlyArray<KnownWorkspace>> => {
  const found: Array<KnownWorkspace> = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const { body }: { readonly body: Page<Workspace> } = await call(
      `/operator/v1/workspaces?limit=100${query}`,
    );
    found.push(...body.data);
    cursor = body.meta.next_cursor;
  } while (cursor !== null);
  return found;
};

/** Reads the workspaces that the session may use. @throws ApiProblem */
export const loadWorkspaces = async (): Promise<void> => {
  const session = currentSession.value;
  if (session === null) return;
  workspaces.value = session.workspace === null ? await allWorkspaces() : [session.workspace];
  completeAddress();
};

/** Takes over the session of this browser, if there is one. @throws ApiProblem */
export const resumeSession = async (): Promise<void> => {
  const { body } = await call<One<ConsoleSession | null>>(sessionPath);
  startSession(body.data);
  await loadWorkspaces();
};

/** Opens a session with an access key or a code; then the program reads its workspaces. @throws ApiProblem */
export const signIn = async (credential: {
  readonly access_key?: string;
  readonly code?: string;
  readonly name: string;
}): Promise<void> => {
  const { body } = await call<One<ConsoleSession>>(sessionPath, { method: "POST", json: credential });
  batch(() => {
    // The session before may have been another person's.
    workspaces.value = null;
    startSession(body.data);
  });
};

/** Ends the session in this browser and on the server. @throws ApiProblem */
export const signOut = async (): Promise<void> => {
  await request(sessionPath, { method: "DELETE" });
  leaveSession();
  workspaces.value = null;
};
