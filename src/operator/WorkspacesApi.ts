import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api";
import { NotFound, PayloadTooLarge, Unprocessable, UnsupportedMediaType } from "../wire/ApiError.ts";
import { Data, PageOf, PageQuery } from "../wire/Envelope.ts";
import { Workspace, WorkspaceDraft, WorkspacePatch } from "../workspaces/Workspace.ts";
import { workspacePath } from "./OperatorPath.ts";

/** Workspaces: made, listed, read and changed. */
export class WorkspacesApi extends HttpApiGroup.make("workspaces")
  .add(
    HttpApiEndpoint.post("create", "/workspaces", {
      payload: WorkspaceDraft,
      success: Data(Workspace).pipe(HttpApiSchema.status(201)),
      error: [PayloadTooLarge, UnsupportedMediaType, Unprocessable],
    })
      .annotate(OpenApi.Summary, "Create a workspace")
      .annotate(
        OpenApi.Description,
        "It gets both environments at once. The time zone is UTC unless given; what `plan` leaves out is as by default.",
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
      error: [NotFound, PayloadTooLarge, UnsupportedMediaType, Unprocessable],
    })
      .annotate(OpenApi.Summary, "Change a workspace")
      .annotate(
        OpenApi.Description,
        "What is left out stays; `plan` merges by key. It holds at once for all tokens and in all processes.",
      ),
  )
  .annotate(OpenApi.Title, "Workspaces")
  .annotate(OpenApi.Description, "The customers of this installation, with their plans.") {}
