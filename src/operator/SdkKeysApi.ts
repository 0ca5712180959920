import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api";
import { IssuedSdkKey, SdkKey, SdkKeyDraft } from "../access/Token.ts";
import { bodyErrors, NotFound, Unprocessable } from "../wire/ApiError.ts";
import { Data, Deleted, PageOf, PageQuery } from "../wire/Envelope.ts";
import { environmentPath, idInPath } from "./OperatorPath.ts";

/** The endpoints of SDK keys: issue, list and revoke. */
export class SdkKeysApi extends HttpApiGroup.make("sdkKeys")
  .add(
    HttpApiEndpoint.post("issue", "/workspaces/:workspace/:env/sdk-keys", {
      params: environmentPath,
      payload: SdkKeyDraft,
      success: Data(IssuedSdkKey).pipe(HttpApiSchema.status(201)),
      error: [NotFound, ...bodyErrors],
    })
      .annotate(OpenApi.Summary, "Issue an SDK key")
      .annotate(OpenApi.Description, "Only this response shows the key itself."),

    HttpApiEndpoint.get("list", "/workspaces/:workspace/:env/sdk-keys", {
      params: environmentPath,
      query: PageQuery,
      success: PageOf(SdkKey),
      error: [NotFound, Unprocessable],
    })
      .annotate(OpenApi.Summary, "List SDK keys")
      .annotate(OpenApi.Description, "Newest first, revoked ones included."),

    HttpApiEndpoint.delete("revoke", "/workspaces/:workspace/:env/sdk-keys/:key", {
      params: { ...environmentPath, key: idInPath("SDK key") },
      success: Deleted,
      error: [NotFound],
    })
      .annotate(OpenApi.Summary, "Revoke an SDK key")
      .annotate(
        OpenApi.Description,
        "It no longer registers devices, in any process, and stays listed. The devices that it registered " +
          "still work.",
      ),
  )
  .annotate(OpenApi.Title, "SDK keys")
  .annotate(OpenApi.Description, "The keys with which apps register devices.") {}
