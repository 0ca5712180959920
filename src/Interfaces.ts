/** The HTTP interfaces: every route with its handlers, authenticators and middlewares. */
import { Effect, Layer } from "effect";
import { type HttpApi, HttpApiBuilder } from "effect/http-api";
import { accessLayer } from "./access/AccessHttp.ts";
import { meHandlers } from "./access/MeHttp.ts";
import { activityHandlers } from "./activity/ActivityHttp.ts";
import { documentRoutes } from "./ApiDocuments.ts";
import { campaignHandlers } from "./campaigns/CampaignsHttp.ts";
import { Settings } from "./config/Settings.ts";
import type { Console as ConsoleClass } from "./console/Console.ts";
import { copiesHandlers } from "./copies/CopiesHttp.ts";
import { DeviceApi } from "./DeviceApi.ts";
import { deviceAccessLayer } from "./devices/DeviceAccessHttp.ts";
import { deviceAuthenticator } from "./devices/DeviceAuthenticator.ts";
import { devicesHandlers } from "./devices/DevicesHttp.ts";
import { registeredDevicesHandlers } from "./devices/RegisteredDevicesHttp.ts";
import { segmentsHandlers } from "./devices/SegmentsHttp.ts";
import { healthReportHandlers } from "./doctor/HealthReportHttp.ts";
import { answersHandlers } from "./events/answers/AnswersHttp.ts";
import { customEventsHandlers } from "./events/custom/CustomEventsHttp.ts";
import { deviceEventsHandlers } from "./events/DeviceEventsHttp.ts";
import { eventsHandlers } from "./events/EventsHttp.ts";
import { Authenticators } from "./http/Authenticators.ts";
import { healthRoutes } from "./http/Health.ts";
import { idempotencyLayer } from "./http/IdempotencyHttp.ts";
import { platformAuthenticator } from "./http/PlatformAuthenticator.ts";
import { requestPipelineLayer } from "./http/RequestPipeline.ts";
import { ifMatchLayer } from "./http/ResourceVersion.ts";
import { RouteTable } from "./http/RouteTable.ts";
import { schemaErrorsLayer } from "./http/SchemaErrors.ts";
import { sdkFiles } from "./http/pages/SdkFiles.ts";
import { startPage } from "./http/pages/StartPage.ts";
import { locationGroupsHandlers } from "./locations/LocationGroupsHttp.ts";
import { locationsHandlers } from "./locations/LocationsHttp.ts";
import { mediaHandlers } from "./media/MediaHttp.ts";
import { mediaAuthenticator, mediaRoutes } from "./media/MediaServing.ts";
import { contentsHandlers } from "./notifications/ContentsHttp.ts";
import { notificationHandlers } from "./notifications/NotificationsHttp.ts";
import { operatorAccessLayer } from "./operator/OperatorAccessHttp.ts";
import { operatorAuthenticator } from "./operator/OperatorAuthenticator.ts";
import { deviceImportHandlers } from "./operator/people/DeviceImportHttp.ts";
import { peopleHandlers } from "./operator/people/PeopleHttp.ts";
import { userSecretHandlers } from "./operator/people/UserSecretHttp.ts";
import { sdkKeysHandlers } from "./operator/SdkKeysHttp.ts";
import { tokensHandlers } from "./operator/TokensHttp.ts";
import { transportsHandlers } from "./operator/TransportsHttp.ts";
import { workspacesHandlers } from "./operator/WorkspacesHttp.ts";
import { OperatorApi } from "./OperatorApi.ts";
import { PlatformApi } from "./PlatformApi.ts";
import { geofencesHandlers } from "./positions/GeofencesHttp.ts";
import { positionsHandlers } from "./positions/PositionsHttp.ts";
import { campaignEstimateHandlers } from "./reports/estimates/CampaignEstimateHttp.ts";
import { reportHandlers } from "./reports/ReportsHttp.ts";
import { surveyResultsHandlers } from "./reports/surveys/SurveyResultsHttp.ts";
import { usageHandlers } from "./reports/usage/UsageHttp.ts";
import { pushKeyHandlers } from "./sending/credentials/PushKeyHttp.ts";
import { deliveriesHandlers } from "./sending/deliveries/DeliveriesHttp.ts";
import { explanationHandlers } from "./sending/explanations/ExplanationHttp.ts";
import { deviceMessagesHandlers } from "./sending/messages/DeviceMessagesHttp.ts";
import { messagesHandlers } from "./sending/messages/MessagesHttp.ts";
import { previewHandlers } from "./sending/messages/preview/PreviewHttp.ts";
import { testSendsHandlers } from "./sending/messages/testing/TestSendsHttp.ts";
import { experimentsHandlers } from "./experiments/ExperimentsHttp.ts";
import { recipientsHandlers } from "./sending/recipients/RecipientsHttp.ts";
import { occurrencesHandlers } from "./sending/sends/occurrences/OccurrencesHttp.ts";
import { sendsHandlers } from "./sending/sends/SendsHttp.ts";
import { webhooksHandlers } from "./webhooks/WebhooksHttp.ts";

const platformRoutes = HttpApiBuilder.layer(PlatformApi).pipe(
  Layer.provide([
    meHandlers,
    reportHandlers,
    surveyResultsHandlers,
    locationsHandlers,
    locationGroupsHandlers,
    mediaHandlers,
    campaignHandlers,
    copiesHandlers,
    notificationHandlers,
    contentsHandlers,
    segmentsHandlers,
    registeredDevicesHandlers,
    deviceMessagesHandlers,
    deviceEventsHandlers,
    customEventsHandlers,
    explanationHandlers,
    previewHandlers,
    testSendsHandlers,
    sendsHandlers,
    occurrencesHandlers,
    deliveriesHandlers,
    recipientsHandlers,
    experimentsHandlers,
    campaignEstimateHandlers,
    webhooksHandlers,
    activityHandlers,
    usageHandlers,
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
    pushKeyHandlers,
  ]),
  Layer.provide(deviceAccessLayer),
);

const operatorRoutes = (console: Console) =>
  HttpApiBuilder.layer(OperatorApi).pipe(
    Layer.provide([
      workspacesHandlers,
      tokensHandlers,
      sdkKeysHandlers,
      userSecretHandlers,
      peopleHandlers,
      deviceImportHandlers,
      transportsHandlers,
      healthReportHandlers,
      console.operatorHandlers,
    ]),
    Layer.provide(operatorAccessLayer),
  );

/** A session of the console comes first: its cookie may authenticate a request to any interface. */
const authenticators = (console: Console) =>
  Layer.effect(
    Authenticators,
    Effect.all([
      platformAuthenticator,
      deviceAuthenticator,
      operatorAuthenticator,
      mediaAuthenticator,
      console.authenticators,
    ]).pipe(
      Effect.map(([platform, device, operator, media, own]) => [...own, platform, device, operator, media]),
    ),
  );

/** The routes of a process with the role `api`, with their authenticators. */
const apiRoutes = (console: Console) => {
  const apis = [PlatformApi, DeviceApi, OperatorApi, console.api] as unknown as ReadonlyArray<HttpApi.Top>;
  return Layer.mergeAll(
    platformRoutes,
    deviceRoutes,
    operatorRoutes(console),
    console.routes,
    mediaRoutes,
    documentRoutes,
  ).pipe(
    Layer.provide([accessLayer, schemaErrorsLayer, idempotencyLayer, ifMatchLayer]),
    Layer.merge(Layer.mergeAll(startPage, healthRoutes, sdkFiles, requestPipelineLayer)),
    Layer.provide([authenticators(console), Layer.succeed(RouteTable, RouteTable.make(apis))]),
    Layer.provide(console.sessions),
  );
};

type Console = typeof ConsoleClass;

/** Loaded on demand: a process without the role `api` needs nothing of it. */
const loadConsole = Effect.promise(() => import("./console/Console.ts"));

/** The routes of this process. A process without the role `api` serves health and metrics only. */
export const interfaces = Layer.unwrap(
  Effect.flatMap(Settings, ({ roles }) =>
    roles.has("api")
      ? Effect.map(loadConsole, ({ Console }) => apiRoutes(Console))
      : Effect.succeed(
          Layer.mergeAll(healthRoutes, requestPipelineLayer).pipe(
            Layer.provide([
              Layer.succeed(Authenticators, []),
              Layer.succeed(RouteTable, RouteTable.make([])),
            ]),
          ),
        ),
  ),
);
