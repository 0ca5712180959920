import { Effect } from "effect";
import { Approval } from "../devices/Device.ts";
import { RegisteredDevices } from "../devices/RegisteredDevices.ts";
import { CsvExports } from "../http/csv/CsvExports.ts";
import { wantsCsv } from "../http/csv/CsvParameters.ts";
import { Cursors } from "../http/Cursors.ts";
import { OperatorApi } from "../OperatorApi.ts";
import { explanationPages } from "../sending/explanations/ExplanationPages.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { readParsedBody } from "../wire/ParsedBody.ts";
import { exactText, searchPattern } from "../wire/SearchText.ts";
import { OperatorTenants } from "./OperatorTenants.ts";

/** Handlers of `DeviceListApi`. */
export const deviceListHandlers = handlerGroup(
  OperatorApi,
  "devices",
  Effect.fnUntraced(function* (handlers) {
    const tenants = yield* OperatorTenants;
    const devices = yield* RegisteredDevices;
    const cursors = yield* Cursors;
    const exports = yield* CsvExports;
    const explanations = yield* explanationPages;
    return handlers
      .handle("list", ({ params, query: { approved, platform, q, user_id, ...query } }) =>
        Effect.gen(function* () {
          const tenant = yield* tenants.find(params);
          const filters = { approved, platform, userId: exactText(user_id), search: searchPattern(q) };
          if (yield* wantsCsv) return yield* exports.send(yield* devices.file(tenant, filters));
          const scope = { endpoint: "GET /operator/devices", owner: tenant, filters };
          return yield* cursors.page(scope, query, (position) => devices.page(tenant, position, filters));
        }),
      )
      .handleRaw("approve", ({ params, ...input }) =>
        tenants.data(
          params,
          Effect.fnUntraced(function* (tenant) {
            // An unknown id is reported before problems of the body (contract B1, 10 and 11).
            yield* devices.keyOf(tenant, params.device);
            const { approved } = yield* (yield* readParsedBody(Approval, input)).complete;
            return yield* devices.setApproved(tenant, params.device, approved);
          }),
        ),
      )
      .handle("explain", ({ params, query }) =>
        Effect.flatMap(tenants.find(params), (tenant) =>
          explanations("GET /operator/devices/explain", tenant, params.device, query),
        ),
      );
  }),
);
