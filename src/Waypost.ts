/** The only file that connects layers: services to statements, and a whole process. */
import { Layer } from "effect";
import { HttpRouter } from "effect/http";
import { CallerAuthentication } from "./access/CallerAuthentication.ts";
import { failedAttemptPruning } from "./access/FailedAttemptPruning.ts";
import { FailedAttempts } from "./access/FailedAttempts.ts";
import { Fingerprint } from "./access/Fingerprint.ts";
import { Tokens } from "./access/Tokens.ts";
import { Activity } from "./activity/Activity.ts";
import { activityPruning } from "./activity/ActivityPruning.ts";
import { Campaigns } from "./campaigns/Campaigns.ts";
import { occurrenceJob, OccurrencePlanner } from "./campaigns/recurrence/OccurrencePlanner.ts";
import { SendPlan } from "./campaigns/SendPlan.ts";
import { Copies } from "./copies/Copies.ts";
import { Database } from "./database/Database.ts";
import { LongReads } from "./database/LongReads.ts";
import { DataDirectory } from "./database/DataDirectory.ts";
import { databaseTime } from "./database/SharedClock.ts";
import { analyzeGrownTables } from "./database/TableStatistics.ts";
import { WorkspaceChanges } from "./database/WorkspaceChanges.ts";
import { Audiences } from "./devices/Audiences.ts";
import { DeviceAuthentication } from "./devices/DeviceAuthentication.ts";
import { DeviceLimits, deviceRatePruning } from "./devices/limits/DeviceLimits.ts";
import { Devices } from "./devices/Devices.ts";
import { DeviceImports } from "./devices/import/DeviceImports.ts";
import { RegisteredDevices } from "./devices/RegisteredDevices.ts";
import { Registrations } from "./devices/registration/Registrations.ts";
import { Segments } from "./devices/Segments.ts";
import { UserSecrets } from "./devices/users/UserSecrets.ts";
import { HealthReports } from "./doctor/HealthReports.ts";
import { Answers } from "./events/answers/Answers.ts";
import { EventSummaries } from "./events/custom/EventSummaries.ts";
import { customEventPruning, CustomEvents } from "./events/custom/CustomEvents.ts";
import { DeviceEventsSql } from "./events/DeviceEventsSql.ts";
import { dwellJob, Dwells } from "./events/Dwells.ts";
import { EventRecorder } from "./events/EventRecorder.ts";
import { Events } from "./events/Events.ts";
import { CsvExports } from "./http/csv/CsvExports.ts";
import { FileExports } from "./http/files/FileExports.ts";
import { Cursors } from "./http/Cursors.ts";
import { idempotencyPruning } from "./http/IdempotencyPruning.ts";
import { IdempotentRequests } from "./http/IdempotentRequests.ts";
import { PublicAddresses } from "./http/PublicAddresses.ts";
import { RateLimits } from "./http/RateLimits.ts";
import { RequestActivity } from "./http/RequestActivity.ts";
import { serverLayer } from "./http/Server.ts";
import { interfaces } from "./Interfaces.ts";
import { ImportReader } from "./locations/import/ImportReader.ts";
import { LocationGroups } from "./locations/LocationGroups.ts";
import { LocationImports } from "./locations/LocationImports.ts";
import { LocationIndexes } from "./locations/LocationIndexes.ts";
import { Locations } from "./locations/Locations.ts";
import { MediaLibrary } from "./media/MediaLibrary.ts";
import { mediaSweeping } from "./media/MediaSweeping.ts";
import { configuredMediaStore } from "./media/store/ConfiguredMediaStore.ts";
import { ReadyThumbnails, Thumbnails, thumbnailWorker } from "./media/Thumbnails.ts";
import { ThumbnailsSql } from "./media/ThumbnailsSql.ts";
import { MediaWorkers } from "./media/worker/MediaWorkers.ts";
import { countSumsJob } from "./experiments/CountSums.ts";
import { CountSumsSql } from "./experiments/CountSumsSql.ts";
import { CampaignExperiments } from "./experiments/CampaignExperiments.ts";
import { Contents } from "./notifications/Contents.ts";
import { Notifications } from "./notifications/Notifications.ts";
import { erasureCompletion, Erasures } from "./people/Erasures.ts";
import { People } from "./people/People.ts";
import { Geofences } from "./positions/Geofences.ts";
import { Positions } from "./positions/Positions.ts";
import { CampaignEstimates } from "./reports/estimates/CampaignEstimates.ts";
import { Reports } from "./reports/Reports.ts";
import { Retention, retentionJob } from "./reports/retention/Retention.ts";
import { rollupJob, Rollups } from "./reports/rollups/Rollups.ts";
import { SurveyResults } from "./reports/surveys/SurveyResults.ts";
import { sqlLayers } from "./SqlLayers.ts";
import { PushCredentials } from "./sending/credentials/PushCredentials.ts";
import { Deliveries } from "./sending/deliveries/Deliveries.ts";
import { DeliveryList } from "./sending/deliveries/DeliveryList.ts";
import { Explanations } from "./sending/explanations/Explanations.ts";
import { Messages } from "./sending/messages/Messages.ts";
import { Previews } from "./sending/messages/preview/Previews.ts";
import { TestSends } from "./sending/messages/testing/TestSends.ts";
import { CampaignRecipients } from "./sending/recipients/CampaignRecipients.ts";
import { PushDispatcher } from "./sending/push/PushDispatcher.ts";
import { leaseMillis } from "./sending/push/PushLeases.ts";
import { TransportTests } from "./sending/push/TransportTests.ts";
import { Pacing } from "./sending/pacing/Pacing.ts";
import { HeldDeliveries } from "./sending/sends/holding/HeldDeliveries.ts";
import { NextOccurrences } from "./sending/sends/occurrences/NextOccurrences.ts";
import { Sends } from "./sending/sends/Sends.ts";
import { SendScheduler } from "./sending/sends/SendScheduler.ts";
import { WebhookDispatcher } from "./webhooks/calls/WebhookDispatcher.ts";
import { Webhooks } from "./webhooks/Webhooks.ts";
import { webhookUpkeep } from "./webhooks/WebhookUpkeep.ts";
import { Worker } from "./workers/Worker.ts";
import { Workspaces } from "./workspaces/Workspaces.ts";

/** The services behind most of the platform API. */
const platformServices = Layer.mergeAll(Notifications.layer, Segments.layer).pipe(
  Layer.provideMerge(Contents.layer),
  Layer.provideMerge(Campaigns.layer),
  Layer.provideMerge(SendPlan.layer),
  Layer.provideMerge(Layer.merge(Locations.layer, ImportReader.layer)),
  Layer.provideMerge(LocationImports.layer),
  Layer.provideMerge(LocationGroups.layer),
  Layer.provideMerge(MediaLibrary.layer),
  Layer.provideMerge(Thumbnails.layer),
  Layer.provideMerge(Layer.mergeAll(Workspaces.layer, Tokens.layer, Activity.layer, LongReads.layer)),
);

/** Authentication, rate limits, idempotency and cursors: what every interface needs around its handlers. */
const requestServices = Layer.mergeAll(
  CallerAuthentication.layer.pipe(Layer.provideMerge(FailedAttempts.layer)),
  IdempotentRequests.layer,
  RateLimits.layer,
  Cursors.layer,
  CsvExports.layer.pipe(Layer.provideMerge(FileExports.layer)),
);

/** The other services of the interfaces. */
const productServices = Layer.mergeAll(
  Reports.layer,
  SurveyResults.layer,
  CampaignEstimates.layer.pipe(Layer.provideMerge(Audiences.layer)),
  Rollups.layer,
  Retention.layer,
  DeviceAuthentication.layer.pipe(Layer.provide(FailedAttempts.layer)),
  DeviceLimits.layer,
  Layer.mergeAll(Devices.layer, Registrations.layer).pipe(Layer.provideMerge(UserSecrets.layer)),
  Layer.mergeAll(TransportTests.layer, Previews.layer).pipe(Layer.provideMerge(RegisteredDevices.layer)),
  Copies.layer,
  CampaignExperiments.layer,
  Messages.layer,
  Answers.layer,
  OccurrencePlanner.layer,
  Explanations.layer,
  TestSends.layer,
  Geofences.layer,
  Layer.mergeAll(
    CustomEvents.layer.pipe(Layer.provideMerge(Events.layer)),
    Positions.layer,
    Dwells.layer,
  ).pipe(Layer.provide(EventRecorder.layer), Layer.provide(Deliveries.layer)),
  Layer.mergeAll(
    DeliveryList.layer,
    CampaignRecipients.layer,
    Sends.layer,
    NextOccurrences.layer,
    DeviceEventsSql.layer,
    EventSummaries.layer,
  ),
  Webhooks.layer,
  Layer.mergeAll(People.layer, Erasures.layer, DeviceImports.layer),
).pipe(Layer.provideMerge(PushCredentials.layer));

/** The background jobs of a process with the role `worker`. */
const jobs = Layer.mergeAll(
  idempotencyPruning,
  failedAttemptPruning,
  deviceRatePruning,
  activityPruning,
  mediaSweeping,
  thumbnailWorker,
  rollupJob,
  countSumsJob.pipe(Layer.provide(CountSumsSql.layer)),
  dwellJob,
  occurrenceJob,
  customEventPruning,
  Layer.effectDiscard(Worker.every("table_statistics", "2 seconds", analyzeGrownTables)),
  retentionJob,
  erasureCompletion,
  webhookUpkeep,
);

/** The jobs that send. On shutdown they take nothing more, and finish what they have begun. */
const sending = Layer.mergeAll(
  SendScheduler.layer,
  HeldDeliveries.layer,
  Pacing.layer,
  PushDispatcher.layer,
  WebhookDispatcher.layer,
);

/** The HTTP server of the interfaces, over their services. */
const httpLayer = HttpRouter.serve(interfaces, {
  disableLogger: true,
  disableListenLog: true,
  // An installation id of 255 characters is at most this long, percent-encoded.
  routerConfig: {
    maxParamLength: 3060,
    caseSensitive: true,
    ignoreDuplicateSlashes: false,
    ignoreTrailingSlash: false,
  },
});

/** The listening service over a database that exists: everything but what only a real process needs. */
export const serviceLayer = httpLayer.pipe(
  Layer.provide([requestServices, HealthReports.layer]),
  // Merged layers close concurrently: sending stops at the signal, not after the last request.
  Layer.merge(sending),
  Layer.provideMerge(jobs),
  Layer.provideMerge(productServices),
  Layer.provideMerge(platformServices),
  Layer.provideMerge(LocationIndexes.layer),
  Layer.provideMerge(sqlLayers),
  Layer.provideMerge(WorkspaceChanges.layer),
  Layer.provideMerge(RequestActivity.layer),
  // Services above read the public addresses. The socket still closes first: serving ends before its parts
  // do.
  Layer.provideMerge(PublicAddresses.layer),
  Layer.provideMerge(serverLayer),
);

const readyThumbnails = ReadyThumbnails.layer.pipe(
  Layer.provide(Thumbnails.layer),
  Layer.provide(ThumbnailsSql.layer),
);

/** A whole process: the data directory, its database and the service on it. */
export const waypostLayer = serviceLayer.pipe(
  // The layers below keep the machine's clock: they deal with its files, connections and processes.
  Layer.provide(databaseTime(leaseMillis)),
  Layer.provide(readyThumbnails),
  Layer.provide([configuredMediaStore, MediaWorkers.layer]),
  Layer.provideMerge(Fingerprint.layer),
  Layer.provideMerge(Database.layer),
  Layer.provideMerge(DataDirectory.layer),
);
