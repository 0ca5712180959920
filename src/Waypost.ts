import { Effect, Layer } from "effect";
import { HttpRouter } from "effect/http";
import { HttpApi, HttpApiBuilder, HttpApiScalar } from "effect/http-api";
import { accessLayer } from "./access/AccessHttp.ts";
import { FailedAttempts } from "./access/FailedAttempts.ts";
import { meHandlers } from "./access/MeHttp.ts";
import { PlatformGate } from "./access/PlatformGate.ts";
import { Campaigns } from "./campaigns/Campaigns.ts";
import { campaignHandlers } from "./campaigns/CampaignsHttp.ts";
import { Database } from "./database/Database.ts";
import { DataDirectory } from "./database/DataDirectory.ts";
import { WorkspaceChanges } from "./database/WorkspaceChanges.ts";
import { Cursors } from "./http/Cursors.ts";
import { Doors } from "./http/Doors.ts";
import { gatewayLayer } from "./http/Gateway.ts";
import { healthRoutes } from "./http/Health.ts";
import { idempotencyLayer } from "./http/IdempotencyHttp.ts";
import { IdempotencySql } from "./http/IdempotencySql.ts";
import { platformDoor } from "./http/PlatformDoor.ts";
import { PublicAddresses } from "./http/PublicAddresses.ts";
import { RateLimits } from "./http/RateLimits.ts";
import { RouteTable } from "./http/RouteTable.ts";
import { schemaErrorsLayer } from "./http/SchemaErrors.ts";
import { serverLayer } from "./http/Server.ts";
import { LocationGroups } from "./locations/LocationGroups.ts";
import { locationGroupsHandlers } from "./locations/LocationGroupsHttp.ts";
import { LocationImports } from "./locations/LocationImports.ts";
import { Locations } from "./locations/Locations.ts";
import { locationsHandlers } from "./locations/LocationsHttp.ts";
import { Notifications } from "./notifications/Notifications.ts";
import { notificationHandlers } from "./notifications/NotificationsHttp.ts";
import { Reports } from "./reports/Reports.ts";
import { reportHandlers } from "./reports/ReportsHttp.ts";
import { Tokens } from "./access/Tokens.ts";
import { PlatformApi } from "./PlatformApi.ts";
import { Workspaces } from "./workspaces/Workspaces.ts";

const apis = [PlatformApi] as unknown as ReadonlyArray<HttpApi.Top>;

const platformRoutes = HttpApiBuilder.layer(PlatformApi, { openapiPath: "/openapi/platform.json" }).pipe(
  Layer.provide([meHandlers, reportHandlers, locationsHandlers, locationGroupsHandlers, campaignHandlers, notificationHandlers]),
);

const routes = Layer.mergeAll(
  platformRoutes,
  HttpApiScalar.layer(PlatformApi, { path: "/docs" }),
  healthRoutes,
).pipe(
  Layer.provide([accessLayer, schemaErrorsLayer, idempotencyLayer.pipe(Layer.provide(IdempotencySql.layer))]),
);

const doors = Layer.effect(Doors, Effect.all([platformDoor]));

/** Services that know nothing of HTTP. */
const core = Layer.mergeAll(Workspaces.layer, Tokens.layer, Reports.layer).pipe(Layer.provideMerge(WorkspaceChanges.layer));

/** What campaigns target. */
const locations = Layer.mergeAll(Locations.layer, LocationGroups.layer, LocationImports.layer);

/** The listening service over a database that is there: everything but what a process starts with. */
export const serviceLayer = HttpRouter.serve(Layer.mergeAll(routes, gatewayLayer), {
  disableLogger: true,
  disableListenLog: true,
}).pipe(
  Layer.provide(doors),
  Layer.provide([
    Layer.succeed(RouteTable, RouteTable.make(apis)),
    PlatformGate.layer.pipe(Layer.provide(FailedAttempts.layer)),
    RateLimits.layer,
    Cursors.layer,
  ]),
  Layer.provideMerge(PublicAddresses.layer),
  Layer.provideMerge(serverLayer),
  Layer.provideMerge(Notifications.layer),
  Layer.provideMerge(Campaigns.layer),
  Layer.provideMerge(locations),
  Layer.provideMerge(core),
);

/** A whole process: the data directory, its database and the service on it. */
export const waypostLayer = serviceLayer.pipe(
  Layer.provideMerge(Database.layer),
  Layer.provideMerge(DataDirectory.layer),
);
