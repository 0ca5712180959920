import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api";
import { bodyErrors, NotFound, Unprocessable } from "../wire/ApiError.ts";
import { Data, PageOf, PageQuery } from "../wire/Envelope.ts";
import { Workspace, WorkspaceDraft, WorkspacePatch } from "../workspaces/Workspace.ts";
import { workspacePath } from "./OperatorPath.ts";

/** The endpoints of workspaces: create, list, show and change. */
export class WorkspacesApi extends HttpApiGroup.make("workspaces")
  .add(
    HttpApiEndpoint.post("create", "/workspaces", {
      payload: WorkspaceDraft,
      success: Data(Workspace).pipe(HttpApiSchema.status(201)),
      error: bodyErrors,
    })
      .annotate(OpenApi.Summary, "Create a workspace")
      .annotate(
        OpenApi.Description,
        "It has both environments. The time zone is UTC unless it is given; keys that `plan` leaves out " +
          "have their default values.",
      ),

    HttpApiEndpoint.get("list", "/workspaces", {
      query: PageQuery,
      success: PageOf(Workspace),
      error: [Unprocessable],
    })
      .annotate(OpenApi.Summary, "List workspaces")
      .annotate(OpenApi.Description, "Newest first."),

    HttpApiEndpoint.get("get", "/workspaces/:workspace", {
      params: workspacePath,
      success: Data(Workspace),
      error: [NotFound],
    }).annotate(OpenApi.Summary, "Show a workspace"),

    HttpApiEndpoint.patch("update", "/workspaces/:workspace", {
      params: workspacePath,
      payload: WorkspacePatch,
      success: Data(Workspace),
      error: [NotFound, ...bodyErrors],
    })
      .annotate(OpenApi.Summary, "Change a workspace")
      .annotate(
        OpenApi.Description,
        "Missing fields are kept; `plan` is merged by key. The change applies immediately to all tokens, " +
          "in all processes.",
      ),
  )
  .annotate(OpenApi.Title, "Workspaces")
  .annotate(OpenApi.Description, "The customers of this installation, with their plans.") {}
