import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { PathChoices } from "../http/RouteTable.ts";
import {
  ApnsCredentials,
  FcmCredentials,
  PushProvider,
  ShownTransport,
  unknownTransport,
  WebPushCredentials,
} from "../sending/credentials/PushCredential.ts";
import { TransportTest, TransportTestDraft } from "../sending/push/TransportTest.ts";
import { bodyErrors, NotFound } from "../wire/ApiError.ts";
import { Data, PageOf } from "../wire/Envelope.ts";
import { shownText } from "../wire/ShownFields.ts";
import { environmentPath } from "./OperatorPath.ts";

const changed = {
  params: environmentPath,
  success: Data(ShownTransport),
  error: [NotFound, ...bodyErrors],
} as const;

const transportPath = {
  ...environmentPath,
  transport: shownText("`fcm`, `apns` or `webpush`.", "fcm"),
};
const transportChoices = { transport: { choices: PushProvider.literals, otherwise: unknownTransport } };

const neverShown =
  "They are encrypted at rest and never shown again; they replace those that were set before.";

/** The endpoints of the credentials for push services. */
export class TransportsApi extends HttpApiGroup.make("transports")
  .add(
    HttpApiEndpoint.get("list", "/workspaces/:workspace/:env/transports", {
      params: environmentPath,
      success: PageOf(ShownTransport),
      error: [NotFound],
    })
      .annotate(OpenApi.Summary, "List transports")
      .annotate(
        OpenApi.Description,
        "All three push services, set or not, with the key that browsers subscribe with.",
      ),

    HttpApiEndpoint.put("putFcm", "/workspaces/:workspace/:env/transports/fcm", {
      ...changed,
      payload: FcmCredentials,
    })
      .annotate(OpenApi.Summary, "Set the credentials for Firebase Cloud Messaging")
      .annotate(OpenApi.Description, `The JSON key file of a service account. ${neverShown}`),

    HttpApiEndpoint.put("putApns", "/workspaces/:workspace/:env/transports/apns", {
      ...changed,
      payload: ApnsCredentials,
    })
      .annotate(OpenApi.Summary, "Set the credentials for the Apple Push Notification service")
      .annotate(OpenApi.Description, `A signing key with its ids, and the app's topic. ${neverShown}`),

    HttpApiEndpoint.put("putWebPush", "/workspaces/:workspace/:env/transports/webpush", {
      ...changed,
      payload: WebPushCredentials,
    })
      .annotate(OpenApi.Summary, "Set up Web Push")
      .annotate(
        OpenApi.Description,
        "The server makes the VAPID keys the first time and keeps them when the subject changes.",
      ),

    HttpApiEndpoint.post("test", "/workspaces/:workspace/:env/transports/:transport/test", {
      params: transportPath,
      payload: TransportTestDraft,
      success: Data(TransportTest),
      error: [NotFound, ...bodyErrors],
    })
      .annotate(PathChoices, transportChoices)
      .annotate(OpenApi.Summary, "Test a transport")
      .annotate(
        OpenApi.Description,
        "Sends one test push to a device now, and answers with what came back from the push service. It is " +
          "no delivery and counts nowhere.",
      ),

    HttpApiEndpoint.delete("delete", "/workspaces/:workspace/:env/transports/:transport", {
      params: transportPath,
      success: Data(
        Schema.Struct({
          id: shownText("The transport.", "fcm"),
          deleted: Schema.Literal(true).annotate({ description: "Always true.", examples: [true] }),
        }),
      ),
      error: [NotFound],
    })
      .annotate(PathChoices, transportChoices)
      .annotate(OpenApi.Summary, "Delete a transport's credentials")
      .annotate(
        OpenApi.Description,
        "Deliveries to it then fail with that reason. Deleting `webpush` deletes its keys: browsers must " +
          "subscribe again.",
      ),
  )
  .annotate(OpenApi.Title, "Transports")
  .annotate(OpenApi.Description, "The credentials with which pushes are sent to push services.") {}
