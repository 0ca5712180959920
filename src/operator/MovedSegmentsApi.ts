import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api";
import { Segment, SegmentDraft, SegmentPatch } from "../devices/Segment.ts";
import { bodyErrors, NotFound, Unprocessable } from "../wire/ApiError.ts";
import { Data, Deleted, PageOf, PageQuery } from "../wire/Envelope.ts";
import { environmentPath, idInPath } from "./OperatorPath.ts";

const params = { ...environmentPath, segment: idInPath("segment") };

/** The endpoints of segments, which are rules over device attributes. */
export class MovedSegmentsApi extends HttpApiGroup.make("segments")
  .add(
    HttpApiEndpoint.post("create", "/workspaces/:workspace/:env/segments", {
      params: environmentPath,
      payload: SegmentDraft,
      success: Data(Segment).pipe(HttpApiSchema.status(201)),
      error: [NotFound, ...bodyErrors],
    })
      .annotate(OpenApi.Summary, "Create a segment")
      .annotate(
        OpenApi.Description,
        "A rule compares attributes of devices, by value and type: the text 5 is not the number 5. A " +
          "device without the attribute meets only `ne` and `exists: false`.",
      ),

    HttpApiEndpoint.get("list", "/workspaces/:workspace/:env/segments", {
      params: environmentPath,
      query: PageQuery,
      success: PageOf(Segment),
      error: [NotFound, Unprocessable],
    })
      .annotate(OpenApi.Summary, "List segments")
      .annotate(OpenApi.Description, "Newest first, each with the number of its devices now."),

    HttpApiEndpoint.get("get", "/workspaces/:workspace/:env/segments/:segment", {
      params,
      success: Data(Segment),
      error: [NotFound],
    }).annotate(OpenApi.Summary, "Show a segment"),

    HttpApiEndpoint.patch("update", "/workspaces/:workspace/:env/segments/:segment", {
      params,
      payload: SegmentPatch,
      success: Data(Segment),
      error: [NotFound, ...bodyErrors],
    })
      .annotate(OpenApi.Summary, "Change a segment")
      .annotate(
        OpenApi.Description,
        "Missing fields are kept; a rule is replaced as a whole. Later sends of its campaigns use the new " +
          "rule.",
      ),

    HttpApiEndpoint.delete("delete", "/workspaces/:workspace/:env/segments/:segment", {
      params,
      success: Deleted,
      error: [NotFound, Unprocessable],
    })
      .annotate(OpenApi.Summary, "Delete a segment")
      .annotate(
        OpenApi.Description,
        "Campaigns keep their other segments. Refused while it is the only segment of a campaign that has " +
          "not ended, because the campaign would then reach everyone.",
      ),
  )
  .annotate(OpenApi.Title, "Segments")
  .annotate(OpenApi.Description, "Groups of devices that push campaigns can target.") {}
