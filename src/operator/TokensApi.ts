import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api";
import { IssuedToken, Token, TokenDraft } from "../access/Token.ts";
import { NotFound, PayloadTooLarge, Unprocessable, UnsupportedMediaType } from "../wire/ApiError.ts";
import { Data, Deleted, PageOf, PageQuery } from "../wire/Envelope.ts";
import { idInPath, workspacePath } from "./OperatorPath.ts";

/** The platform API tokens of a workspace: issued, listed and revoked. */
export class TokensApi extends HttpApiGroup.make("tokens")
  .add(
    HttpApiEndpoint.post("issue", "/workspaces/:workspace/tokens", {
      params: workspacePath,
      payload: TokenDraft,
      success: Data(IssuedToken).pipe(HttpApiSchema.status(201)),
      error: [NotFound, PayloadTooLarge, UnsupportedMediaType, Unprocessable],
    })
      .annotate(OpenApi.Summary, "Issue a platform API token")
      .annotate(OpenApi.Description, "The answer is the only place where the token itself is shown."),

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
      .annotate(OpenApi.Description, "It ends at once, in all processes, and stays listed."),
  )
  .annotate(OpenApi.Title, "Tokens")
  .annotate(OpenApi.Description, "What a customer's own systems use the platform API with.") {}
