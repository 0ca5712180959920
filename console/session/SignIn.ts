/** Signing in and out. */
import { batch } from "@preact/signals";
import { operator, platform } from "../data/Api.ts";
import { fetchResponse, send, sendWhole } from "../data/ApiCall.ts";
import type { ConsoleSession, One } from "../data/Resources.ts";
import { completeAddress, workspaces } from "./Scope.ts";
import { tabNamed } from "./TabDrafts.ts";
import { currentSession, isReportsOnly, leaveSession, startSession } from "./SessionState.ts";

const sessionPath = "/console/session";

/** Reads the workspaces that the session may use. @throws ApiProblem */
export const loadWorkspaces = async (): Promise<void> => {
  const session = currentSession.value;
  if (session === null) return;
  if (session.workspace === null) workspaces.value = (await sendWhole(operator.workspaces.list())).data;
  else {
    isReportsOnly.value =
      session.environment === "production" && !(await send(platform.me.get())).data.platform_api_enabled;
    workspaces.value = [session.workspace];
  }
  completeAddress();
};

/** Takes over the session of this browser, if there is one. @throws ApiProblem */
export const resumeSession = async (): Promise<void> => {
  const [{ data }] = await Promise.all([send<One<ConsoleSession | null>>({ path: sessionPath }), tabNamed]);
  startSession(data);
  await loadWorkspaces();
};

/** Opens a session with an access key or a code; then the program reads its workspaces. @throws ApiProblem */
export const signIn = async (credential: {
  readonly access_key?: string;
  readonly code?: string;
  readonly name: string;
}): Promise<void> => {
  const request = { path: sessionPath, method: "POST", json: credential };
  const { data } = await send<One<ConsoleSession>>(request);
  batch(() => {
    // The session before may have been another person's.
    workspaces.value = null;
    startSession(data);
  });
};

/** Ends the session in this browser and on the server. @throws ApiProblem */
export const signOut = async (): Promise<void> => {
  await fetchResponse({ path: sessionPath, method: "DELETE" });
  leaveSession();
  workspaces.value = null;
};
