import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { Erasure, Person } from "../../people/Person.ts";
import { NotFound } from "../../wire/ApiError.ts";
import { Data } from "../../wire/Envelope.ts";
import { shownText } from "../../wire/ShownFields.ts";
import { environmentPath, idInPath } from "../OperatorPath.ts";

const personPath = {
  ...environmentPath,
  user_id: shownText("The app's own id of the person, percent-encoded.", "customer-4711"),
};

/** The endpoints that export and erase people (contract Q3). */
export class PeopleApi extends HttpApiGroup.make("people")
  .add(
    HttpApiEndpoint.get("export", "/workspaces/:workspace/:env/people/:user_id", {
      params: personPath,
      success: Data(Person),
      error: [NotFound],
    })
      .annotate(OpenApi.Summary, "Export everything held about a person")
      .annotate(
        OpenApi.Description,
        "Streamed, whatever the size. A person without a device, messages or custom events is 404.",
      ),
    HttpApiEndpoint.delete("erase", "/workspaces/:workspace/:env/people/:user_id", {
      params: personPath,
      success: Data(Erasure),
      error: [NotFound],
    })
      .annotate(OpenApi.Summary, "Erase a person")
      .annotate(
        OpenApi.Description,
        "Erases the person's devices with their addresses, attributes, tokens and positions, and the texts " +
          "of their answers. Waiting messages are dropped, and within a minute also what webhooks have not " +
          "sent. Reports keep their figures, except for the number of registered devices. Backups made " +
          "before, and what receivers have got, are out of reach.",
      ),
    HttpApiEndpoint.delete("eraseDevice", "/workspaces/:workspace/:env/devices/:device", {
      params: { ...environmentPath, device: idInPath("device") },
      success: Data(Erasure),
      error: [NotFound],
    })
      .annotate(OpenApi.Summary, "Erase a device")
      .annotate(OpenApi.Description, "As the erasure of a person, for one device."),
  )
  .annotate(OpenApi.Title, "People")
  .annotate(OpenApi.Description, "Export and erasure of the people behind devices.") {}
