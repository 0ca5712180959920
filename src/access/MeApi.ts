import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { Data } from "../wire/Envelope.ts";
import { nullableId, nullableInstant, shownId, shownText } from "../wire/ShownFields.ts";
import { flag } from "../wire/Text.ts";
import { Environment } from "../workspaces/Environment.ts";
import { Ability } from "./Ability.ts";
import { WorksAlways } from "./Access.ts";

/** The credential of a request, and what it may do where. */
const Me = Schema.Struct({
  workspace: Schema.Struct({
    id: shownId("Id of the workspace.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"),
    name: shownText("Name of the workspace.", "Acme"),
  }),
  environment: Environment,
  token: Schema.Struct({
    id: nullableId("Id of the token; null for the operator key.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b61"),
    name: shownText("Name of the token; `operator` for the operator key.", "Back office"),
    expires_at: nullableInstant("When it expires; null for never.", "2027-01-01T00:00:00+00:00"),
  }),
  abilities: Schema.Array(Ability).annotate({
    description: "Abilities that the token was issued with; the operator has all.",
    examples: [["campaigns:read", "reports:read"]],
  }),
  platform_api_enabled: flag(
    "Whether abilities of tokens other than `reports:read` work now; always true in Sandbox.",
    true,
  ),
}).annotate({ identifier: "Me" });

/** `GET /me`: needs no ability, and works before the full API is enabled. */
export class MeApi extends HttpApiGroup.make("me")
  .add(
    HttpApiEndpoint.get("get", "/me", { success: Data(Me) })
      .annotate(WorksAlways, true)
      .annotate(OpenApi.Summary, "Show the token's workspace, environment and abilities"),
  )
  .annotate(OpenApi.Title, "Workspace")
  .annotate(OpenApi.Description, "The workspace of a token, and what the token may do.") {}
