import { HttpApi, OpenApi } from "effect/http-api";
import { ConsoleAddressesApi } from "./console/ConsoleAddressesApi.ts";
import { SessionListApi } from "./console/SessionListApi.ts";
import { HealthReportApi } from "./doctor/HealthReportApi.ts";
import { SchemaErrors } from "./http/SchemaErrors.ts";
import { OperatorAccess } from "./operator/OperatorAccess.ts";
import { DeviceImportApi } from "./operator/people/DeviceImportApi.ts";
import { PeopleApi } from "./operator/people/PeopleApi.ts";
import { SdkKeysApi } from "./operator/SdkKeysApi.ts";
import { TokensApi } from "./operator/TokensApi.ts";
import { TransportsApi } from "./operator/TransportsApi.ts";
import { UserSecretApi } from "./operator/people/UserSecretApi.ts";
import { WorkspacesApi } from "./operator/WorkspacesApi.ts";
import { tidyOpenApi } from "./wire/OpenApiTidy.ts";
import { parseOptions } from "./wire/ParseOptions.ts";

const annotations = OpenApi.annotations({
  title: "Waypost operator interface",
  version: "1",
  description:
    "Workspaces, tokens, SDK keys, credentials of push services, and people of one installation, for the " +
    "person who hosts it. Success bodies are wrapped in `data`; errors have the shape `{error: {code, " +
    "message, fields?}}`.",
  transform: tidyOpenApi("/operator/v1", [{ url: "/operator/v1", description: "This installation" }]),
});

/** The interface for the operator, who hosts Waypost: workspaces, their credentials, and people. */
export class OperatorApi extends HttpApi.make("operator")
  .add(WorkspacesApi)
  .add(TokensApi)
  .add(SdkKeysApi)
  .add(UserSecretApi)
  .add(TransportsApi)
  .add(PeopleApi)
  .add(DeviceImportApi)
  .add(ConsoleAddressesApi)
  .add(SessionListApi)
  .add(HealthReportApi)
  .middleware(SchemaErrors)
  .middleware(OperatorAccess)
  .prefix("/operator/v1")
  .annotateMerge(parseOptions)
  .annotateMerge(annotations) {}
