import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import type { Tenant } from "../workspaces/Workspace.ts";

/** The statement of the operator's device list that is not a device's own business. */
export class DeviceListSql extends Context.Service<DeviceListSql>()("waypost/operator/DeviceListSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    return {
      /** One row when the device is registered. */
      find: (tenant: Tenant, id: string) =>
        Effect.orDie(sql<{ id: string }>`
          SELECT id FROM device
          WHERE workspace_id = ${tenant.workspaceId} AND environment = ${tenant.environment} AND id = ${id}
            AND unregistered_at IS NULL`),
    };
  }),
}) {
  static readonly layer = Layer.effect(DeviceListSql, DeviceListSql.make);
}
