import { Effect } from "effect";
import { Caller, callerData } from "../access/Caller.ts";
import { Cursors } from "../http/Cursors.ts";
import { PlatformApi } from "../PlatformApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { readParsedBody } from "../wire/ParsedBody.ts";
import { Audiences } from "./Audiences.ts";
import { RuleDraft, SegmentDraft, SegmentPatch } from "./Segment.ts";
import { Segments } from "./Segments.ts";

/** Handlers of `SegmentsApi`. */
export const segmentsHandlers = handlerGroup(
  PlatformApi,
  "segments",
  Effect.fnUntraced(function* (handlers) {
    const segments = yield* Segments;
    const audiences = yield* Audiences;
    const cursors = yield* Cursors;
    return handlers
      .handle("list", ({ query }) =>
        Effect.flatMap(Caller, (caller) =>
          cursors.page({ endpoint: "GET /segments", owner: caller, isLarge: true }, query, (position) =>
            segments.page(caller, position),
          ),
        ),
      )
      .handleRaw("create", (input) =>
        callerData((caller) =>
          Effect.flatMap(readParsedBody(SegmentDraft, input), (body) => segments.create(caller, body)),
        ),
      )
      .handleRaw("count", (input) =>
        callerData(
          Effect.fnUntraced(function* (caller) {
            const { rule } = yield* (yield* readParsedBody(RuleDraft, input)).complete;
            const { devices } = yield* audiences.count(caller, { match: "any", rules: [rule] });
            return { devices };
          }),
        ),
      )
      .handle("get", ({ params }) => callerData((caller) => segments.find(caller, params.segment)))
      .handleRaw("update", ({ params, ...input }) =>
        callerData(
          Effect.fnUntraced(function* (caller) {
            // An unknown id is reported before problems of the body (contract B1, 10 and 11).
            const { id } = yield* segments.check(caller, params.segment);
            return yield* segments.update(caller, id, yield* readParsedBody(SegmentPatch, input));
          }),
        ),
      )
      .handle("delete", ({ params }) => callerData((caller) => segments.delete(caller, params.segment)));
  }),
);
