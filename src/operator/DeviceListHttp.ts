import { Effect } from "effect";
import { HttpApiBuilder } from "effect/http-api";
import { Devices } from "../devices/Devices.ts";
import { Cursors } from "../http/Cursors.ts";
import { OperatorApi } from "../OperatorApi.ts";
import { NotFound } from "../wire/ApiError.ts";
import { isUuid } from "../wire/Ids.ts";
import { readParsedBody } from "../wire/ParsedBody.ts";
import { Approval } from "./DeviceListApi.ts";
import { DeviceListSql } from "./DeviceListSql.ts";
import { OperatorTenants } from "./OperatorTenants.ts";

/** Handlers of `DeviceListApi`. */
export const deviceListHandlers = HttpApiBuilder.group(
  OperatorApi,
  "devices",
  Effect.fnUntraced(function* (handlers) {
    const tenants = yield* OperatorTenants;
    const devices = yield* Devices;
    const repository = yield* DeviceListSql;
    const cursors = yield* Cursors;
    return handlers
      .handle("list", ({ params, query }) =>
        Effect.gen(function* () {
          const tenant = yield* tenants.find(params);
          const filters = { approved: query.approved, platform: query.platform };
          const owner = `${tenant.workspaceId}/${tenant.environment}`;
          const scope = { endpoint: "GET /operator/devices", owner, filters };
          return yield* cursors.page(scope, query, (position) => devices.page(tenant, position, filters));
        }),
      )
      .handleRaw("approve", ({ endpoint, params, request }) =>
        Effect.gen(function* () {
          const tenant = yield* tenants.find(params);
          // A device that is not there is told before anything about the body (contract B1, 10 and 11).
          const found = isUuid(params.device) ? yield* repository.find(tenant, params.device) : [];
          if (found.length === 0) return yield* NotFound.resource("device");
          const body = yield* readParsedBody(Approval, { request, endpoint });
          const { approved } = yield* body.complete;
          return { data: yield* devices.setApproved(tenant, params.device, approved) };
        }),
      );
  }),
);
