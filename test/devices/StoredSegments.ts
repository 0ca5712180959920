import { Effect } from "effect";
import type { SegmentRule } from "../../src/devices/SegmentRule.ts";
import { SegmentsSql } from "../../src/devices/SegmentsSql.ts";
import { idAt } from "../../src/wire/Ids.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { suiteStart } from "../TestTenants.ts";

/** The devices whose plan is gold. */
const goldRule: SegmentRule = {
  match: "all",
  conditions: [{ attribute: "plan", op: "eq", value: "gold" }],
};

/** Inserts a segment with a name of its own, unless it is given; gives its id. */
export const insertSegment = (tenant: Tenant, name?: string, rule = goldRule) =>
  Effect.gen(function* () {
    const id = idAt(suiteStart);
    yield* (yield* SegmentsSql).insert(tenant, id, name ?? `Segment ${id}`, rule, suiteStart);
    return id;
  });
