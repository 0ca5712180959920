import { Effect, Layer } from "effect";
import { HttpRouter } from "effect/http";
import { type HttpApi, HttpApiBuilder } from "effect/http-api";
import { accessLayer } from "./access/AccessHttp.ts";
import { failedAttemptPruning } from "./access/FailedAttemptPruning.ts";
import { FailedAttempts } from "./access/FailedAttempts.ts";
import { FailedAttemptsSql } from "./access/FailedAttemptsSql.ts";
import { Fingerprint } from "./access/Fingerprint.ts";
import { meHandlers } from "./access/MeHttp.ts";
import { TokenAuthentication } from "./access/TokenAuthentication.ts";
import { Tokens } from "./access/Tokens.ts";
import { docsPage, docsPageHeaders, documentRoutes } from "./ApiDocuments.ts";
import { Campaigns } from "./campaigns/Campaigns.ts";
import { campaignHandlers } from "./campaigns/CampaignsHttp.ts";
import { SendPlan } from "./campaigns/SendPlan.ts";
import { Settings } from "./config/Settings.ts";
import { Database } from "./database/Database.ts";
import { DataDirectory } from "./database/DataDirectory.ts";
import { WorkspaceChanges } from "./database/WorkspaceChanges.ts";
import { DeviceApi } from "./DeviceApi.ts";
import { deviceAccessLayer } from "./devices/DeviceAccessHttp.ts";
import { deviceAuthenticator } from "./devices/DeviceAuthenticator.ts";
import { DeviceAuthentication } from "./devices/DeviceAuthentication.ts";
import { Devices } from "./devices/Devices.ts";
import { devicesHandlers } from "./devices/DevicesHttp.ts";
import { Segments } from "./devices/Segments.ts";
import { Answers } from "./events/Answers.ts";
import { answersHandlers } from "./events/AnswersHttp.ts";
import { Events } from "./events/Events.ts";
import { eventsHandlers } from "./events/EventsHttp.ts";
import { Geofences } from "./positions/Geofences.ts";
import { geofencesHandlers } from "./positions/GeofencesHttp.ts";
import { Positions } from "./positions/Positions.ts";
import { positionsHandlers } from "./positions/PositionsHttp.ts";
import { EventRecorder } from "./events/EventRecorder.ts";
import { Cursors } from "./http/Cursors.ts";
import { Authenticators } from "./http/Authenticators.ts";
import { requestPipelineLayer } from "./http/RequestPipeline.ts";
import { healthRoutes } from "./http/Health.ts";
import { idempotencyLayer } from "./http/IdempotencyHttp.ts";
import { TableStatistics } from "./database/TableStatistics.ts";
import { tableStatisticsRefresh } from "./workers/TableStatisticsRefresh.ts";
import { idempotencyPruning } from "./http/IdempotencyPruning.ts";
import { IdempotencySql } from "./http/IdempotencySql.ts";
import { IdempotentRequests } from "./http/IdempotentRequests.ts";
import { platformAuthenticator } from "./http/PlatformAuthenticator.ts";
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
import { LocationIndexes } from "./locations/LocationIndexes.ts";
import { configuredMediaStore } from "./media/store/ConfiguredMediaStore.ts";
import { MediaWorkers } from "./media/worker/MediaWorkers.ts";
import { MediaInspector } from "./media/worker/MediaInspector.ts";
import { mediaFileLookup } from "./media/MediaFileLookup.ts";
import { mediaHandlers } from "./media/MediaHttp.ts";
import { MediaLibrary } from "./media/MediaLibrary.ts";
import { MediaLibrarySql } from "./media/MediaLibrarySql.ts";
import { mediaAuthenticator, mediaRoutes } from "./media/MediaServing.ts";
import { mediaSweeping } from "./media/MediaSweeping.ts";
import { ReadyThumbnails } from "./media/ReadyThumbnails.ts";
import { thumbnailMaking } from "./media/ThumbnailMaking.ts";
import { Thumbnails } from "./media/Thumbnails.ts";
import { Contents } from "./notifications/Contents.ts";
import { Notifications } from "./notifications/Notifications.ts";
import { notificationHandlers } from "./notifications/NotificationsHttp.ts";
import { contentsHandlers } from "./operator/ContentsHttp.ts";
import { DeliveryList } from "./operator/DeliveryList.ts";
import { deliveryListHandlers } from "./operator/DeliveryListHttp.ts";
import { deviceListHandlers } from "./operator/DeviceListHttp.ts";
import { DeviceListSql } from "./operator/DeviceListSql.ts";
import { locationImportHandlers } from "./operator/LocationImportHttp.ts";
import { operatorAccessLayer } from "./operator/OperatorAccessHttp.ts";
import { operatorAuthenticator } from "./operator/OperatorAuthenticator.ts";
import { OperatorTenants } from "./operator/OperatorTenants.ts";
import { sdkKeysHandlers } from "./operator/SdkKeysHttp.ts";
import { segmentsHandlers } from "./operator/SegmentsHttp.ts";
import { tenantReportsHandlers } from "./operator/TenantReportsHttp.ts";
import { sendListHandlers } from "./operator/SendListHttp.ts";
import { SendListSql } from "./operator/SendListSql.ts";
import { tokensHandlers } from "./operator/TokensHttp.ts";
import { transportsHandlers } from "./operator/TransportsHttp.ts";
import { workspacesHandlers } from "./operator/WorkspacesHttp.ts";
import { OperatorApi } from "./OperatorApi.ts";
import { PlatformApi } from "./PlatformApi.ts";
import { Reports } from "./reports/Reports.ts";
import { reportHandlers } from "./reports/ReportsHttp.ts";
import { Retention, retentionJob } from "./reports/retention/Retention.ts";
import { Rollups, rollupJob } from "./reports/rollups/Rollups.ts";
import { Deliveries } from "./sending/Deliveries.ts";
import { leaseTimeOfDatabase } from "./sending/LeaseTime.ts";
import { Messages } from "./sending/Messages.ts";
import { messagesHandlers } from "./sending/MessagesHttp.ts";
import { PushCredentials } from "./sending/push/PushCredentials.ts";
import { PushDispatcher } from "./sending/push/PushDispatcher.ts";
import { leaseMillis } from "./sending/push/PushLeases.ts";
import { SendScheduler } from "./sending/SendScheduler.ts";
import { Workspaces } from "./workspaces/Workspaces.ts";

const apis = [PlatformApi, DeviceApi, OperatorApi] as unknown as ReadonlyArray<HttpApi.Top>;

const platformRoutes = HttpApiBuilder.layer(PlatformApi).pipe(
  Layer.provide([
    meHandlers,
    reportHandlers,
    locationsHandlers,
    locationGroupsHandlers,
    mediaHandlers,
    campaignHandlers,
    notificationHandlers,
  ]),
);

const deviceRoutes = HttpApiBuilder.layer(DeviceApi).pipe(
  Layer.provide([
    devicesHandlers,
    eventsHandlers,
    positionsHandlers,
    geofencesHandlers,
    messagesHandlers,
    answersHandlers,
  ]),
  Layer.provide(deviceAccessLayer),
);

const operatorRoutes = HttpApiBuilder.layer(OperatorApi).pipe(
  Layer.provide([
    workspacesHandlers,
    tokensHandlers,
    sdkKeysHandlers,
    transportsHandlers,
    segmentsHandlers,
    contentsHandlers,
    locationImportHandlers,
    deviceListHandlers,
    deliveryListHandlers,
    tenantReportsHandlers,
    sendListHandlers,
  ]),
  Layer.provide([
    operatorAccessLayer,
    OperatorTenants.layer,
    DeviceListSql.layer,
    DeliveryList.layer,
    SendListSql.layer,
  ]),
);

const apiRoutes = Layer.mergeAll(
  platformRoutes,
  deviceRoutes,
  operatorRoutes,
  mediaRoutes,
  documentRoutes,
  docsPage.pipe(Layer.provide(docsPageHeaders.layer)),
).pipe(
  Layer.provide([accessLayer, schemaErrorsLayer, idempotencyLayer]),
  Layer.provide(IdempotentRequests.layer),
);

const authenticators = Layer.effect(
  Authenticators,
  Effect.all([platformAuthenticator, deviceAuthenticator, operatorAuthenticator, mediaAuthenticator]),
);

/** What this process answers: a process without the role `api` only tells how it is. */
const answers = Layer.unwrap(
  Effect.map(Settings, ({ roles }) =>
    roles.has("api")
      ? Layer.mergeAll(apiRoutes, healthRoutes, requestPipelineLayer).pipe(
          Layer.provide([authenticators, Layer.succeed(RouteTable, RouteTable.make(apis))]),
        )
      : Layer.mergeAll(healthRoutes, requestPipelineLayer).pipe(
          Layer.provide([Layer.succeed(Authenticators, []), Layer.succeed(RouteTable, RouteTable.make([]))]),
        ),
  ),
);

/** Services that know nothing of HTTP. */
const core = Layer.mergeAll(
  Workspaces.layer,
  Tokens.layer,
  Reports.layer,
  Rollups.layer,
  Retention.layer,
).pipe(Layer.provideMerge(WorkspaceChanges.layer));

/** What campaigns target. */
const locations = Layer.mergeAll(Locations.layer, LocationGroups.layer, LocationImports.layer).pipe(
  Layer.provideMerge(LocationIndexes.layer),
);

/** What notifications show. */
const media = Layer.merge(MediaLibrary.layer, mediaFileLookup).pipe(
  Layer.provideMerge(Thumbnails.layer),
  Layer.provideMerge(MediaLibrarySql.layer),
);

/** What devices do. */
const devices = Layer.mergeAll(
  Devices.layer,
  Messages.layer,
  Answers.layer,
  Geofences.layer,
  Layer.mergeAll(Events.layer, Positions.layer).pipe(
    Layer.provide(EventRecorder.layer.pipe(Layer.provide(Deliveries.layer))),
  ),
);

/** What a worker does beside answering. */
const jobs = Layer.mergeAll(
  idempotencyPruning.pipe(Layer.provide(IdempotencySql.layer)),
  failedAttemptPruning.pipe(Layer.provide(FailedAttemptsSql.layer)),
  mediaSweeping,
  thumbnailMaking,
  rollupJob,
  tableStatisticsRefresh.pipe(Layer.provide(TableStatistics.layer)),
  retentionJob,
);

/** The listening service over a database that is there: everything but what a process starts with. */
export const serviceLayer = HttpRouter.serve(answers, {
  disableLogger: true,
  disableListenLog: true,
  // An installation id of 255 characters is at most this long, percent-encoded.
  routerConfig: {
    maxParamLength: 3060,
    caseSensitive: true,
    ignoreDuplicateSlashes: false,
    ignoreTrailingSlash: false,
  },
}).pipe(
  Layer.provide([
    Layer.mergeAll(TokenAuthentication.layer, DeviceAuthentication.layer).pipe(
      Layer.provideMerge(FailedAttempts.layer),
    ),
    RateLimits.layer,
    Cursors.layer,
  ]),
  Layer.merge(jobs),
  Layer.merge(Layer.mergeAll(SendScheduler.layer, PushDispatcher.layer)),
  Layer.provideMerge(Notifications.layer),
  Layer.provideMerge(Contents.layer),
  Layer.provideMerge(Segments.layer),
  Layer.provideMerge(Campaigns.layer),
  Layer.provideMerge(SendPlan.layer),
  Layer.provideMerge(devices),
  Layer.provideMerge(PushCredentials.layer),
  Layer.provideMerge(locations),
  Layer.provideMerge(media),
  Layer.provideMerge(core),
  // What is above is told where it can be reached. The socket closes first all the same: serving ends before its parts do.
  Layer.provideMerge(PublicAddresses.layer),
  Layer.provideMerge(serverLayer),
);

/** What looks into media files. */
const mediaReading = MediaInspector.layer.pipe(Layer.provideMerge(MediaWorkers.layer));

const readyThumbnails = ReadyThumbnails.layer.pipe(Layer.provide(Thumbnails.layer));

/** A whole process: the data directory, its database and the service on it. */
export const waypostLayer = serviceLayer.pipe(
  Layer.provide(readyThumbnails),
  Layer.provide([configuredMediaStore, mediaReading]),
  Layer.provide(leaseTimeOfDatabase(leaseMillis)),
  Layer.provideMerge(Fingerprint.layer),
  Layer.provideMerge(Database.layer),
  Layer.provideMerge(DataDirectory.layer),
);
