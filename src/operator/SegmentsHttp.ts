import { Effect } from "effect";
import { HttpApiBuilder } from "effect/http-api";
import { readSegment, readSegmentPatch } from "../devices/SegmentParsing.ts";
import { Segments } from "../devices/Segments.ts";
import { Cursors } from "../http/Cursors.ts";
import { OperatorApi } from "../OperatorApi.ts";
import { OperatorTenants } from "./OperatorTenants.ts";

/** Handlers of `SegmentsApi`. */
export const segmentsHandlers = HttpApiBuilder.group(
  OperatorApi,
  "segments",
  Effect.fnUntraced(function* (handlers) {
    const tenants = yield* OperatorTenants;
    const segments = yield* Segments;
    const cursors = yield* Cursors;
    return handlers
      .handleRaw("create", ({ endpoint, params, request }) =>
        Effect.gen(function* () {
          const tenant = yield* tenants.find(params);
          return { data: yield* segments.create(tenant, yield* readSegment({ request, endpoint })) };
        }),
      )
      .handle("list", ({ params, query }) =>
        Effect.gen(function* () {
          const tenant = yield* tenants.find(params);
          const owner = `${tenant.workspaceId}/${tenant.environment}`;
          const scope = { endpoint: "GET /operator/segments", owner };
          return yield* cursors.page(scope, query, (position) => segments.page(tenant, position));
        }),
      )
      .handle("get", ({ params }) =>
        Effect.gen(function* () {
          return { data: yield* segments.find(yield* tenants.find(params), params.segment) };
        }),
      )
      .handleRaw("update", ({ endpoint, params, request }) =>
        Effect.gen(function* () {
          const tenant = yield* tenants.find(params);
          // A segment that is not there is told before anything about the body (contract B1, 10 and 11).
          const { id } = yield* segments.check(tenant, params.segment);
          return { data: yield* segments.update(tenant, id, yield* readSegmentPatch({ request, endpoint })) };
        }),
      )
      .handle("delete", ({ params }) =>
        Effect.gen(function* () {
          return { data: yield* segments.delete(yield* tenants.find(params), params.segment) };
        }),
      );
  }),
);
