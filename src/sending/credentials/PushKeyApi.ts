import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { DeviceAccess } from "../../devices/DeviceAccess.ts";
import { Data } from "../../wire/Envelope.ts";
import { ShownTransport } from "./PushCredential.ts";

/** The key with which browsers subscribe to pushes. */
export class PushKeyApi extends HttpApiGroup.make("pushKey")
  .add(
    HttpApiEndpoint.get("show", "/push-key", {
      success: Data(
        Schema.Struct({ public_key: ShownTransport.fields.public_key }).annotate({ identifier: "PushKey" }),
      ),
    })
      .annotate(OpenApi.Summary, "Show the key of Web Push")
      .annotate(
        OpenApi.Description,
        "The `applicationServerKey` of a browser's subscription; null if the environment sends no Web Push.",
      ),
  )
  .middleware(DeviceAccess)
  .annotate(OpenApi.Title, "Push key")
  .annotate(OpenApi.Description, "The key with which browsers subscribe to pushes.") {}
