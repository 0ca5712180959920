import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { sendWorld } from "../sends/SendWorld.ts";
import type { LocalService } from "./PushServers.ts";

/** A push campaign at 12:30 for `count` devices of a provider, in a workspace of its own. */
export const pushCrowd = (service: LocalService, count: number, fields: object = {}) =>
  Effect.gen(function* () {
    const world = yield* sendWorld();
    const { production, waypost, workspace } = world;
    const body = service.credentials;
    yield* production.asOperator(`/transports/${service.transport}`, { method: "PUT", body });
    yield* production.crowd(count);
    const sql = yield* SqlClient.SqlClient;
    yield* Effect.orDie(sql`
      UPDATE device SET transport = ${service.transport},
        address = (('{"token":"device-' || key::text || '"}')::jsonb)
      WHERE workspace_id = ${production.workspaceId} AND environment = 'production'`);
    const campaign = yield* production.push(fields);
    yield* production.sent(campaign, "12:30");
    return { ...production, waypost, workspace, campaign };
  });
