import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api";
import { Needs } from "../access/Access.ts";
import { Campaign } from "../campaigns/Campaign.ts";
import { Idempotency } from "../http/Idempotency.ts";
import { bodyErrors, Forbidden, NotFound, ServiceUnavailable } from "../wire/ApiError.ts";
import { shownInteger, shownText } from "../wire/ShownFields.ts";
import { optionalText } from "../wire/Text.ts";
import { Environment } from "../workspaces/Environment.ts";

/** Body of a copy. */
export const CopyDraft = Schema.Struct({
  environment: Environment.annotate({
    description: "The environment in which the copy is made: the other one, or the campaign's own.",
    examples: ["production"],
    message: "The environment must be sandbox or production.",
  }),
  name: optionalText({
    max: 255,
    description:
      "Name of the copy. Left out: the campaign's own name in the other environment, and in the same one " +
      "“Copy of …”, with a number if that is taken.",
    example: "Opening week",
  }),
}).annotate({ identifier: "CopyDraft" });
export type CopyDraft = typeof CopyDraft.Type;

const Counts = Schema.Struct({
  notifications: shownInteger("Notifications: all are made.", 2),
  media: shownInteger("Media files: copied to another environment, shared in the same one.", 1),
  locations: shownInteger("Locations of the campaign, and of location groups that are made.", 3),
  location_groups: shownInteger("Location groups.", 1),
  segments: shownInteger("Segments.", 0),
}).annotate({
  identifier: "CopyCounts",
  description:
    "How much of each kind: in `made` what the copy makes besides the campaign, in `matched` what it uses " +
    "because it is there.",
});

/** How much a copy makes, and how much of what is there it uses. */
export interface CopyCounts {
  readonly made: typeof Counts.Type;
  readonly matched: typeof Counts.Type;
}

/** A copy that was made, or that a dry run would make. */
const CampaignCopy = Schema.Struct({
  data: Schema.NullOr(Campaign).annotate({ description: "The copy; null of a dry run." }),
  made: Counts,
  matched: Counts,
});

/** The endpoint that copies a campaign to an environment (contract CO4). */
export class CopiesApi extends HttpApiGroup.make("copies")
  .add(
    HttpApiEndpoint.post("copy", "/campaigns/:campaign/copy", {
      params: {
        campaign: shownText("Id of the campaign.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"),
      },
      query: {
        dry_run: Schema.optionalKey(
          Schema.Literals(["1", "true", "0", "false"]).annotate({
            description: "`true` checks the copy and answers 200 with what it would make; nothing is made.",
            examples: ["true"],
            message: "The dry run must be true or false.",
          }),
        ),
      },
      payload: CopyDraft,
      success: [CampaignCopy, CampaignCopy.pipe(HttpApiSchema.status(201))],
      error: [Forbidden, NotFound, ServiceUnavailable, ...bodyErrors],
    })
      .middleware(Idempotency)
      .annotate(Needs, "campaigns:write")
      .annotate(OpenApi.Summary, "Copy a campaign to an environment")
      .annotate(
        OpenApi.Description,
        "Makes a paused campaign with the same dates, rules, notifications and translations, all or " +
          "nothing. Media files are copied. It uses locations of the environment with the same " +
          "`external_id`, else with the same name and shape, location groups with the same name, and " +
          "segments with the same name and rule; what is not there is made. Only the operator can copy to " +
          "the other environment.",
      ),
  )
  .annotate(OpenApi.Title, "Copies")
  .annotate(OpenApi.Description, "Campaigns from one environment in the other one.") {}
