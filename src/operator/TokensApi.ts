import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api";
import { IssuedToken, Token, TokenDraft } from "../access/Token.ts";
import { bodyErrors, NotFound, Unprocessable } from "../wire/ApiError.ts";
import { Data, Deleted, PageOf, PageQuery } from "../wire/Envelope.ts";
import { idInPath, workspacePath } from "./OperatorPath.ts";

/** The endpoints of platform API tokens: issue, list and revoke. */
export class TokensApi extends HttpApiGroup.make("tokens")
  .add(
    HttpApiEndpoint.post("issue", "/workspaces/:workspace/tokens", {
      params: workspacePath,
      payload: TokenDraft,
      success: Data(IssuedToken).pipe(HttpApiSchema.status(201)),
      error: [NotFound, ...bodyErrors],
    })
      .annotate(OpenApi.Summary, "Issue a platform API token")
      .annotate(OpenApi.Description, "Only this response shows the token itself."),

    HttpApiEndpoint.get("list", "/workspaces/:workspace/tokens", {
      params: workspacePath,
      query: PageQuery,
      success: PageOf(Token),
      error: [NotFound, Unprocessable],
    })
      .annotate(OpenApi.Summary, "List platform API tokens")
      .annotate(OpenApi.Description, "Newest first, those of both environments and revoked ones included."),

    HttpApiEndpoint.delete("revoke", "/workspaces/:workspace/tokens/:token", {
      params: { ...workspacePath, token: idInPath("token") },
      success: Deleted,
      error: [NotFound],
    })
      .annotate(OpenApi.Summary, "Revoke a platform API token")
      .annotate(OpenApi.Description, "It ends immediately, in all processes, and stays listed."),
  )
  .annotate(OpenApi.Title, "Tokens")
  .annotate(OpenApi.Description, "The tokens with which the systems of a customer use the platform API.") {}
