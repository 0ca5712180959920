import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api";
import { Needs } from "../access/Access.ts";
import { Idempotency } from "../http/Idempotency.ts";
import { IfMatch } from "../http/ResourceVersion.ts";
import { describedInstant } from "../time/Instant.ts";
import { bodyErrors, Conflict, Forbidden, NotFound, Unprocessable } from "../wire/ApiError.ts";
import { Data, Deleted, PageOf, PageQuery } from "../wire/Envelope.ts";
import { shownId } from "../wire/ShownFields.ts";
import { searchParameter } from "../wire/SearchText.ts";
import { Campaign, CampaignType } from "./Campaign.ts";
import { CampaignStatus } from "./CampaignStatus.ts";
import { CampaignDraft } from "./CampaignDraft.ts";

const params = {
  campaign: shownId("Id of the campaign.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"),
};

const CampaignPage = PageOf(Campaign);

/** An endpoint that changes the state of a campaign, without a body. */
const change = <const Name extends string>(name: Name, summary: string, description: string) =>
  HttpApiEndpoint.post(name, `/campaigns/:campaign/${name}`, {
    params,
    success: Data(Campaign),
    error: [NotFound],
  })
    .middleware(IfMatch)
    .middleware(Idempotency)
    .annotate(Needs, "campaigns:write")
    .annotateMerge(OpenApi.annotations({ summary, description }));

/**
 * The endpoints of campaigns, which decide when messages are sent and to whom. `CampaignsHttp` handles them.
 */
export class CampaignsApi extends HttpApiGroup.make("campaigns")
  .add(
    HttpApiEndpoint.get("list", "/campaigns", {
      query: {
        ...PageQuery,
        updated_since: Schema.optionalKey(
          describedInstant("Only campaigns updated at or after this instant; without an offset it is UTC."),
        ),
        archived: Schema.optionalKey(
          Schema.Literals(["true", "false"]).annotate({
            description: "`true` lists the archived campaigns, `false` (the default) the others.",
            examples: ["true"],
          }),
        ),
        draft: Schema.optionalKey(
          Schema.Literals(["true", "false"]).annotate({
            description: "`true` lists only campaigns that never were published, `false` only the others.",
            examples: ["false"],
          }),
        ),
        status: Schema.optionalKey(
          CampaignStatus.annotate({
            description: "Only campaigns that have this status now.",
            examples: ["active"],
            message: "The status must be active, scheduled, paused or ended.",
          }),
        ),
        type: Schema.optionalKey(
          CampaignType.annotate({
            description: "Only campaigns of this type.",
            examples: ["geo"],
            message: "The type must be geo or push.",
          }),
        ),
        q: searchParameter("autumn"),
      },
      success: CampaignPage,
      error: [Unprocessable],
    })
      .annotate(Needs, "campaigns:read")
      .annotate(OpenApi.Summary, "List campaigns")
      .annotate(
        OpenApi.Description,
        "All campaigns that are neither deleted nor archived, newest first, with their targeting.",
      ),
    HttpApiEndpoint.post("create", "/campaigns", {
      payload: CampaignDraft,
      success: Data(Campaign).pipe(HttpApiSchema.status(201)),
      error: [Forbidden, ...bodyErrors],
    })
      .middleware(Idempotency)
      .annotate(Needs, "campaigns:write")
      .annotate(OpenApi.Summary, "Create a campaign")
      .annotate(
        OpenApi.Description,
        "From its start on the campaign sends, as soon as it has a notification. With `paused` it is a " +
          "draft that nobody gets until it is published.",
      ),
    HttpApiEndpoint.get("get", "/campaigns/:campaign", {
      params,
      success: Data(Campaign),
      error: [NotFound],
    })
      .annotate(Needs, "campaigns:read")
      .annotate(OpenApi.Summary, "Show a campaign")
      .annotate(OpenApi.Description, "The `ETag` is its version: send it as `If-Match` with a change."),
    HttpApiEndpoint.patch("update", "/campaigns/:campaign", {
      params,
      payload: CampaignDraft,
      success: Data(Campaign),
      error: [Conflict, Forbidden, NotFound, ...bodyErrors],
    })
      .middleware(IfMatch)
      .middleware(Idempotency)
      .annotate(Needs, "campaigns:write")
      .annotate(OpenApi.Summary, "Update a campaign")
      .annotate(
        OpenApi.Description,
        "Replaces the whole campaign under the rules for creating one: missing optional fields are " +
          "cleared. Once the campaign has started its start cannot change. Its type can change only while " +
          "it has no notifications.",
      ),
    HttpApiEndpoint.delete("delete", "/campaigns/:campaign", {
      params,
      success: Deleted,
      error: [NotFound],
    })
      .middleware(IfMatch)
      .middleware(Idempotency)
      .annotate(Needs, "campaigns:write")
      .annotate(OpenApi.Summary, "Delete a campaign")
      .annotate(
        OpenApi.Description,
        "Cancels its scheduled sends, and deletes the notifications that are on no other campaign. What " +
          "was delivered stays in the reports.",
      ),

    change(
      "pause",
      "Pause a campaign",
      "Nothing is sent until it is published. A paused campaign is not changed.",
    ),

    HttpApiEndpoint.post("publish", "/campaigns/:campaign/publish", {
      params,
      success: Data(Campaign),
      error: [Forbidden, NotFound],
    })
      .middleware(IfMatch)
      .middleware(Idempotency)
      .annotate(Needs, "campaigns:write")
      .annotate(OpenApi.Summary, "Publish a paused campaign")
      .annotate(
        OpenApi.Description,
        "Resumes the campaign. One that is not paused is not changed. In Sandbox it counts toward " +
          "`max_campaigns` again.",
      ),

    change(
      "archive",
      "Archive a campaign",
      "Pauses the campaign and leaves it out of lists. `archived=true` lists it; reports still count it.",
    ),

    change(
      "unarchive",
      "Unarchive a campaign",
      "Puts the campaign back into lists. It stays paused until it is published.",
    ),
  )
  .annotate(OpenApi.Title, "Campaigns")
  .annotate(
    OpenApi.Description,
    "A campaign decides when messages are sent and to whom; its notifications hold their content.",
  ) {}
