import { Effect } from "effect";
import { SqlService } from "../src/database/SqlService.ts";
import { idAt } from "../src/wire/Ids.ts";
import type { TenantKey } from "../src/workspaces/Environment.ts";
import { suiteStart as now } from "./TestTenants.ts";

type Target = "location" | "location_group";

/** Inserts and reads rows that the statements under test read but do not write. */
export class TestRows extends SqlService<TestRows>("waypost/test/TestRows")((sql) => ({
  /** Inserts a location or a location group; gives its id. */
  insertTarget: Effect.fnUntraced(function* (
    table: Target,
    { environment, workspaceId }: TenantKey,
    name: string,
  ) {
    const id = idAt(now);
    const instants = { created_at: new Date(now), updated_at: new Date(now) };
    const common = { workspace_id: workspaceId, environment, id, name, ...instants };
    const circle = { type: "circle", latitude: 0, longitude: 0, radius_meters: 100 };
    const row = table === "location" ? { ...common, ...circle } : common;
    yield* sql`INSERT INTO ${sql(table)} ${sql.insert(row)}`;
    return id;
  }, Effect.orDie),
  deleteTarget: (table: Target, id: string) =>
    Effect.orDie(Effect.asVoid(sql`DELETE FROM ${sql(table)} WHERE id = ${id}`)),
  /** The ids of the notifications of a workspace, in order. */
  notificationIds: (workspaceId: number) =>
    Effect.orDie(
      Effect.map(
        sql<{ readonly id: string }>`
          SELECT id FROM notification WHERE workspace_id = ${workspaceId} ORDER BY id`,
        (rows) => rows.map(({ id }) => id),
      ),
    ),
})) {}
