import { Effect } from "effect";
import { readSegment, readSegmentPatch } from "../devices/SegmentParsing.ts";
import { Segments } from "../devices/Segments.ts";
import { Cursors } from "../http/Cursors.ts";
import { OperatorApi } from "../OperatorApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { OperatorTenants } from "./OperatorTenants.ts";

/** Handlers of `SegmentsApi`. */
export const segmentsHandlers = handlerGroup(
  OperatorApi,
  "segments",
  Effect.fnUntraced(function* (handlers) {
    const tenants = yield* OperatorTenants;
    const segments = yield* Segments;
    const cursors = yield* Cursors;
    return handlers
      .handleRaw("create", ({ params, ...input }) =>
        tenants.data(params, (tenant) =>
          Effect.flatMap(readSegment(input), (body) => segments.create(tenant, body)),
        ),
      )
      .handle("list", ({ params, query }) =>
        Effect.flatMap(tenants.find(params), (tenant) =>
          cursors.page({ endpoint: "GET /operator/segments", owner: tenant }, query, (position) =>
            segments.page(tenant, position),
          ),
        ),
      )
      .handle("get", ({ params }) => tenants.data(params, (tenant) => segments.find(tenant, params.segment)))
      .handleRaw("update", ({ params, ...input }) =>
        tenants.data(
          params,
          Effect.fnUntraced(function* (tenant) {
            // An unknown id is reported before problems of the body (contract B1, 10 and 11).
            const { id } = yield* segments.check(tenant, params.segment);
            return yield* segments.update(tenant, id, yield* readSegmentPatch(input));
          }),
        ),
      )
      .handle("delete", ({ params }) =>
        tenants.data(params, (tenant) => segments.delete(tenant, params.segment)),
      );
  }),
);
