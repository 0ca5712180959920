import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { NotFound, Unprocessable } from "../wire/ApiError.ts";
import { Data, Deleted, PageOf, PageQuery } from "../wire/Envelope.ts";
import { shownId, shownInteger } from "../wire/ShownFields.ts";
import { ListedSession } from "./ListedSession.ts";

/** The endpoints of all sessions of the console: list them, end one, end all. */
export class SessionListApi extends HttpApiGroup.make("sessions")
  .add(
    HttpApiEndpoint.get("list", "/console/sessions", {
      query: PageQuery,
      success: PageOf(ListedSession),
      error: [Unprocessable],
    })
      .annotate(OpenApi.Summary, "List the sessions of the console")
      .annotate(OpenApi.Description, "Newest first, those of the operator and those of tokens."),

    HttpApiEndpoint.delete("endAll", "/console/sessions", {
      query: {
        keep_current: Schema.optionalKey(
          Schema.Literals(["true", "false"]).annotate({
            description: "`true` keeps the session that makes the request; `false` is the default.",
            examples: ["true"],
          }),
        ),
      },
      success: Data(Schema.Struct({ ended: shownInteger("The number of sessions that were ended.", 3) })),
      error: [Unprocessable],
    })
      .annotate(OpenApi.Summary, "End all sessions of the console")
      .annotate(OpenApi.Description, "They end immediately, in all processes."),

    HttpApiEndpoint.delete("end", "/console/sessions/:session", {
      params: { session: shownId("Id of the session.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60") },
      success: Deleted,
      error: [NotFound],
    })
      .annotate(OpenApi.Summary, "End a session of the console")
      .annotate(OpenApi.Description, "It ends immediately, in all processes."),
  )
  .annotate(OpenApi.Title, "Sessions")
  .annotate(OpenApi.Description, "The people who are signed in to the console at `/console`.") {}
