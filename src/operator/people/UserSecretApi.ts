import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api";
import { IssuedUserSecret } from "../../devices/users/UserSecret.ts";
import { NotFound } from "../../wire/ApiError.ts";
import { Data } from "../../wire/Envelope.ts";
import { environmentPath } from "../OperatorPath.ts";

/** The endpoint that makes user secrets (contract X31a). */
export class UserSecretApi extends HttpApiGroup.make("userSecret")
  .add(
    HttpApiEndpoint.post("issue", "/workspaces/:workspace/:env/user-secret", {
      params: environmentPath,
      success: Data(IssuedUserSecret).pipe(HttpApiSchema.status(201)),
      error: [NotFound],
    })
      .annotate(OpenApi.Summary, "Make the user secret")
      .annotate(
        OpenApi.Description,
        "The app's own server signs user ids with it. Only this response shows it; an earlier secret ends " +
          "at once. The workspace demands signatures with `user_hash_required`.",
      ),
  )
  .annotate(OpenApi.Title, "User secret")
  .annotate(OpenApi.Description, "The secret that proves whose a device is.") {}
