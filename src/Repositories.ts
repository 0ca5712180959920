/** The repositories that have two implementations: PostgreSQL, and tables in memory for tests of rules. */
import { Layer } from "effect";
import { failedAttemptsMemory } from "./access/FailedAttemptsMemory.ts";
import { failedAttemptsSql } from "./access/FailedAttemptsSql.ts";
import { tokensMemory } from "./access/TokensMemory.ts";
import { tokensSql } from "./access/TokensSql.ts";
import { idempotencyMemory } from "./http/IdempotencyMemory.ts";
import { idempotencySql } from "./http/IdempotencySql.ts";
import { rateLimitsMemory } from "./http/RateLimitsMemory.ts";
import { rateLimitsSql } from "./http/RateLimitsSql.ts";
import { workspacesMemory } from "./workspaces/WorkspacesMemory.ts";
import { workspacesSql } from "./workspaces/WorkspacesSql.ts";

/** On PostgreSQL. */
export const sqlRepositories = Layer.mergeAll(
  workspacesSql,
  tokensSql,
  failedAttemptsSql,
  rateLimitsSql,
  idempotencySql,
);

/** In memory. */
export const memoryRepositories = Layer.mergeAll(
  workspacesMemory,
  tokensMemory,
  failedAttemptsMemory,
  rateLimitsMemory,
  idempotencyMemory,
);
