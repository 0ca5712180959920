/** The workspace and the environment of the page. The address names them; the last ones are the default. */
import { computed, signal } from "@preact/signals";
import type { Environment, Workspace } from "../data/Resources.ts";
import { changedAddress, navigate, parameter } from "../routing/Router.ts";
import { withStorage } from "./Drafts.ts";
import { currentSession } from "./SessionState.ts";

/** A workspace as the console needs it everywhere. */
export type KnownWorkspace = Pick<Workspace, "id" | "name" | "timezone"> &
  Partial<Pick<Workspace, "platform_api_enabled" | "default_frequency_cap" | "quiet_hours">>;

const lastKey = "waypost.last";

/** The workspaces that the session may use; null while they are loaded. */
export const workspaces = signal<ReadonlyArray<KnownWorkspace> | null>(null);

/** The id of the page's workspace; null while there is none. */
export const workspaceId = computed((): string | null => {
  const own = currentSession.value?.workspace;
  if (own) return own.id;
  const wanted = parameter("workspace");
  return workspaces.value?.some(({ id }) => id === wanted) === true ? wanted : null;
});

/** The page's workspace; null while there is none. */
export const workspace = computed(
  (): KnownWorkspace | null => workspaces.value?.find(({ id }) => id === workspaceId.value) ?? null,
);

/** The environments in words. */
export const environmentNames = { production: "Production", sandbox: "Sandbox" } as const;

/** The environment of the page. */
export const environment = computed(
  (): Environment =>
    currentSession.value?.environment ?? (parameter("environment") === "sandbox" ? "sandbox" : "production"),
);

interface Last {
  readonly workspace?: string;
  readonly environment?: string;
}

const readLast = (): Last =>
  withStorage(() => (JSON.parse(localStorage.getItem(lastKey) ?? "{}") as Last | null) ?? {}, {});

// Without storage the first workspace is the default.
const keepLast = (last: Last): void =>
  withStorage(() => localStorage.setItem(lastKey, JSON.stringify(last)), undefined);

/** Names the workspace and the environment in an address that does not, or that names others. */
export const completeAddress = (): void => {
  const session = currentSession.value;
  const known = workspaces.value;
  if (session === null || known === null) return;
  const last = readLast();
  const wanted = [session.workspace?.id, parameter("workspace"), last.workspace, known[0]?.id];
  const chosen = known.find(({ id }) => id === wanted.find((each) => known.some((own) => own.id === each)));
  const asked = session.environment ?? (parameter("environment") || (last.environment ?? ""));
  const isChosen = asked === "production" || asked === "sandbox";
  // A workspace begins in Sandbox until Production is enabled.
  const firstEnvironment = chosen?.platform_api_enabled === false ? "sandbox" : "production";
  const changes = { workspace: chosen?.id, environment: isChosen ? asked : firstEnvironment };
  navigate(changedAddress(changes), { isReplaced: true });
  if (chosen !== undefined) keepLast({ workspace: chosen.id, environment: changes.environment });
};
