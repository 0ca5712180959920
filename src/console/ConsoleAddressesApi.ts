import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api";
import { Forbidden } from "../wire/ApiError.ts";
import { Data } from "../wire/Envelope.ts";
import { shownInstant, shownText } from "../wire/ShownFields.ts";

/** A one-time address of the console. */
const ConsoleAddress = Schema.Struct({
  url: shownText(
    "The address. Its page shows a button that signs the operator in.",
    "https://push.example.com/console/sign-in#wpo_0000000000000000000000000000000000000",
  ),
  expires_at: shownInstant("When the address stops working, unless it was used before."),
}).annotate({ identifier: "ConsoleAddress" });

/** The endpoint of one-time addresses: what `waypost console` calls. */
export class ConsoleAddressesApi extends HttpApiGroup.make("console")
  .add(
    HttpApiEndpoint.post("issueAddress", "/console/addresses", {
      success: Data(ConsoleAddress).pipe(HttpApiSchema.status(201)),
      error: [Forbidden],
    })
      .annotate(OpenApi.Summary, "Issue an address that signs the operator in to the console")
      .annotate(
        OpenApi.Description,
        "It works once, for 15 minutes, while the operator key stays. Opening it does not spend it: the " +
          "person presses a button. Only the operator key issues it, not a session of the console.",
      ),
  )
  .annotate(OpenApi.Title, "Console")
  .annotate(OpenApi.Description, "Addresses that sign the operator in to the console at `/console`.") {}
