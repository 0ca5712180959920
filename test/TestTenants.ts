import { Effect } from "effect";
import { idAt } from "../src/wire/Ids.ts";
import type { Environment } from "../src/workspaces/Environment.ts";
import type { Tenant } from "../src/workspaces/Workspace.ts";
import { WorkspacesRepository } from "../src/workspaces/WorkspacesRepository.ts";
import { utcZone } from "../src/time/TimeZone.ts";

/** When the rows of conformance suites are made. */
export const suiteStart = Date.parse("2026-11-21T12:00:00Z");

/** A new workspace in the store, and its environments as services get them. */
export const newTenants = Effect.gen(function* () {
  const repository = yield* WorkspacesRepository;
  const row = yield* repository.insert(
    { publicId: idAt(suiteStart), name: "Acme", timezone: utcZone, plan: {} },
    suiteStart,
  );
  const tenantOf = (environment: Environment): Tenant => ({ ...row, environment });
  return { sandbox: tenantOf("sandbox"), production: tenantOf("production") };
});
