import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api";
import { ChangesNothing, Needs } from "../access/Access.ts";
import { Idempotency } from "../http/Idempotency.ts";
import { bodyErrors, NotFound, Unprocessable } from "../wire/ApiError.ts";
import { Data, Deleted, PageOf, PageQuery } from "../wire/Envelope.ts";
import { shownId } from "../wire/ShownFields.ts";
import { RuleCount, RuleDraft, Segment, SegmentDraft, SegmentPatch } from "./Segment.ts";

const params = {
  segment: shownId("Id of the segment.", "01980a6c-2b11-7e0a-8c55-6d2f9b1a4e03"),
};

/** The endpoints of segments, which are rules over attributes of devices (contract S1). */
export class SegmentsApi extends HttpApiGroup.make("segments")
  .add(
    HttpApiEndpoint.get("list", "/segments", {
      query: PageQuery,
      success: PageOf(Segment),
      error: [Unprocessable],
    })
      .annotate(Needs, "segments:read")
      .annotate(OpenApi.Summary, "List segments")
      .annotate(OpenApi.Description, "Newest first, each with the number of its devices now."),
    HttpApiEndpoint.post("create", "/segments", {
      payload: SegmentDraft,
      success: Data(Segment).pipe(HttpApiSchema.status(201)),
      error: bodyErrors,
    })
      .middleware(Idempotency)
      .annotate(Needs, "segments:write")
      .annotate(OpenApi.Summary, "Create a segment")
      .annotate(
        OpenApi.Description,
        "A rule compares attributes of devices, by value and type: the text 5 is not the number 5. A " +
          "device without the attribute meets only `ne` and `exists: false`.",
      ),
    HttpApiEndpoint.post("count", "/segments/count", {
      payload: RuleDraft,
      success: Data(RuleCount),
      error: bodyErrors,
    })
      .annotate(Needs, "segments:read")
      .annotate(ChangesNothing, true)
      .annotate(OpenApi.Summary, "Count the devices of a rule")
      .annotate(
        OpenApi.Description,
        "For a rule that is being written: nothing is stored, and the request counts as a read. With over " +
          "100,000 devices the count is an estimate from an even sample.",
      ),
    HttpApiEndpoint.get("get", "/segments/:segment", {
      params,
      success: Data(Segment),
      error: [NotFound],
    })
      .annotate(Needs, "segments:read")
      .annotate(OpenApi.Summary, "Show a segment"),
    HttpApiEndpoint.patch("update", "/segments/:segment", {
      params,
      payload: SegmentPatch,
      success: Data(Segment),
      error: [NotFound, ...bodyErrors],
    })
      .middleware(Idempotency)
      .annotate(Needs, "segments:write")
      .annotate(OpenApi.Summary, "Change a segment")
      .annotate(
        OpenApi.Description,
        "Missing fields are kept; a rule is replaced as a whole. Later sends of its campaigns use the new " +
          "rule.",
      ),
    HttpApiEndpoint.delete("delete", "/segments/:segment", {
      params,
      success: Deleted,
      error: [NotFound, Unprocessable],
    })
      .middleware(Idempotency)
      .annotate(Needs, "segments:write")
      .annotate(OpenApi.Summary, "Delete a segment")
      .annotate(
        OpenApi.Description,
        "Campaigns keep their other segments. Refused while it is the only segment of a campaign that has " +
          "not ended, because the campaign would then reach everyone.",
      ),
  )
  .annotate(OpenApi.Title, "Segments")
  .annotate(OpenApi.Description, "Groups of devices that push campaigns can target.") {}
