import { HttpApi, OpenApi } from "effect/http-api";
import { ConsoleAddressesApi } from "./console/ConsoleAddressesApi.ts";
import { HealthReportApi } from "./doctor/HealthReportApi.ts";
import { SchemaErrors } from "./http/SchemaErrors.ts";
import { ActivityListApi } from "./operator/activity/ActivityListApi.ts";
import { MovedContentsApi } from "./operator/MovedContentsApi.ts";
import { DeliveryListApi } from "./operator/DeliveryListApi.ts";
import { DeviceListApi } from "./operator/DeviceListApi.ts";
import { LocationImportApi } from "./operator/LocationImportApi.ts";
import { OperatorAccess } from "./operator/OperatorAccess.ts";
import { DeviceImportApi } from "./operator/people/DeviceImportApi.ts";
import { PeopleApi } from "./operator/people/PeopleApi.ts";
import { SdkKeysApi } from "./operator/SdkKeysApi.ts";
import { MovedSegmentsApi } from "./operator/MovedSegmentsApi.ts";
import { TenantReportsApi } from "./operator/TenantReportsApi.ts";
import { TenantWebhooksApi } from "./operator/TenantWebhooksApi.ts";
import { SendListApi } from "./operator/SendListApi.ts";
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

const own = HttpApi.make("operator")
  .add(WorkspacesApi)
  .add(TokensApi)
  .add(SdkKeysApi)
  .add(UserSecretApi)
  .add(TransportsApi)
  .add(LocationImportApi)
  .add(PeopleApi)
  .add(DeviceImportApi)
  .add(ConsoleAddressesApi)
  .add(HealthReportApi);

/** The interface for the operator, who hosts Waypost: workspaces, their credentials, and people. */
export class OperatorApi extends own
  .middleware(SchemaErrors)
  .middleware(OperatorAccess)
  .prefix("/operator/v1")
  .annotateMerge(parseOptions)
  .annotateMerge(annotations) {}

/** The interface with the endpoints of `MovedEndpoints`, for its document and its clients. */
export class DocumentedOperatorApi extends own
  .add(MovedSegmentsApi)
  .add(MovedContentsApi)
  .add(DeviceListApi)
  .add(SendListApi)
  .add(DeliveryListApi)
  .add(TenantReportsApi)
  .add(TenantWebhooksApi)
  .add(ActivityListApi)
  .middleware(SchemaErrors)
  .middleware(OperatorAccess)
  .prefix("/operator/v1")
  .annotateMerge(parseOptions)
  .annotateMerge(annotations) {}
