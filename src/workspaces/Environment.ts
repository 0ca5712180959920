import { Schema } from "effect";

/** The two environments of a workspace, which share no data (contract A2). */
export const Environment = Schema.Literals(["sandbox", "production"]).annotate({
  description: "`sandbox` reaches approved test devices only; `production` everyone.",
  examples: ["sandbox"],
});
export type Environment = typeof Environment.Type;

/** The name of an environment in sentences. */
export const environmentName = (environment: Environment): string =>
  environment === "sandbox" ? "Sandbox" : "Production";

/** The key of an environment. `workspaceId` is the internal key of the workspace. */
export interface TenantKey {
  readonly workspaceId: number;
  readonly environment: Environment;
}
