import { HttpApi, OpenApi } from "effect/http-api";
import { DevicesApi } from "./devices/DevicesApi.ts";
import { AnswersApi } from "./events/answers/AnswersApi.ts";
import { EventsApi } from "./events/EventsApi.ts";
import { GeofencesApi } from "./positions/GeofencesApi.ts";
import { PositionsApi } from "./positions/PositionsApi.ts";
import { SchemaErrors } from "./http/SchemaErrors.ts";
import { PushKeyApi } from "./sending/credentials/PushKeyApi.ts";
import { MessagesApi } from "./sending/messages/MessagesApi.ts";
import { tidyOpenApi } from "./wire/OpenApiTidy.ts";
import { parseOptions } from "./wire/ParseOptions.ts";

/**
 * The interface for the SDK of an app: registering needs the SDK key, everything else the device's own token.
 */
export class DeviceApi extends HttpApi.make("device")
  .add(DevicesApi)
  .add(GeofencesApi)
  .add(EventsApi)
  .add(PositionsApi)
  .add(MessagesApi)
  .add(AnswersApi)
  .add(PushKeyApi)
  .middleware(SchemaErrors)
  .prefix("/device/v1")
  .annotateMerge(parseOptions)
  .annotateMerge(
    OpenApi.annotations({
      title: "Waypost device interface",
      version: "1",
      description:
        "Called by apps: devices register, report enters and exits of locations, fetch their messages and " +
        "answer surveys. Success bodies are wrapped in `data`; errors have the shape `{error: {code, " +
        "message, fields?}}`. Only unknown keys and tokens are rate limited.",
      transform: tidyOpenApi("/device/v1", [{ url: "/device/v1", description: "Both environments" }]),
    }),
  ) {}
