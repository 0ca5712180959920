import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api";
import { DeviceImportReport, deviceImportRules } from "../../devices/import/DeviceImport.ts";
import { bodyErrors, NotFound } from "../../wire/ApiError.ts";
import { Data } from "../../wire/Envelope.ts";
import { BodyRules } from "../../wire/RequestBody.ts";
import { environmentPath } from "../OperatorPath.ts";

const rows = (identifier: string, contentType: string, description: string, example: string) =>
  Schema.String.annotate({ identifier, description, examples: [example] }).pipe(
    HttpApiSchema.asText({ contentType }),
  );

/** The endpoint that imports devices (contract Q4). */
export class DeviceImportApi extends HttpApiGroup.make("deviceImport")
  .add(
    HttpApiEndpoint.post("import", "/workspaces/:workspace/:env/devices/import", {
      params: environmentPath,
      payload: [
        rows(
          "DeviceRows",
          "text/csv",
          "CSV with a header row: installation_id, platform, transport, address, attributes, locale, " +
            "timezone, user_id.",
          'installation_id,platform,transport,address\r\n5f0c1b1e,ios,apns,"{""token"":""740f47""}"\r\n',
        ),
        rows(
          "DeviceLines",
          "application/x-ndjson",
          "A JSON object in each line, with the columns of the CSV as fields.",
          '{"installation_id":"5f0c1b1e","platform":"ios","user_id":"customer-4711"}\n',
        ),
      ],
      success: Data(DeviceImportReport),
      error: [NotFound, ...bodyErrors],
    })
      .annotate(BodyRules, deviceImportRules)
      .annotate(OpenApi.Summary, "Import devices of another system")
      .annotate(
        OpenApi.Description,
        "Any number of rows, stored as they arrive and not in one transaction. A row of an unknown " +
          "installation creates a device, for which the app gets a token when it registers. Of a known one " +
          "the given columns are replaced; token, approval and subscription stay. `address` and " +
          "`attributes` are JSON. A bad row fails alone, with the reasons.",
      ),
  )
  .annotate(OpenApi.Title, "Import of devices")
  .annotate(OpenApi.Description, "Brings devices and their addresses along from another system.") {}
