import { Effect } from "effect";
import { idAt } from "../src/wire/Ids.ts";
import type { Environment } from "../src/workspaces/Environment.ts";
import type { Tenant } from "../src/workspaces/Workspace.ts";
import { WorkspacesSql } from "../src/workspaces/WorkspacesSql.ts";
import { utcZone } from "../src/time/TimeZone.ts";

/** When the rows of tests of statements are made. */
export const suiteStart = Date.parse("2026-11-21T12:00:00Z");

/** A new workspace in the store, and its environments as services get them. */
export const newTenants = Effect.gen(function* () {
  const repository = yield* WorkspacesSql;
  const row = yield* repository.insert(
    { publicId: idAt(suiteStart), name: "Acme", timezone: utcZone, plan: {} },
    suiteStart,
  );
  const tenantOf = (environment: Environment): Tenant => ({ ...row, environment });
  return { sandbox: tenantOf("sandbox"), production: tenantOf("production") };
});

/** Tenants for what is kept in memory: nothing reads more of them than their key. */
export const tenantsInMemory = Effect.sync(() => {
  const tenant = { workspaceId: ++madeInMemory } as Tenant;
  return {
    sandbox: { ...tenant, environment: "sandbox" },
    production: { ...tenant, environment: "production" },
  } as const;
});
let madeInMemory = 0;
