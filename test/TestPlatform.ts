import { Effect, Layer } from "effect";
import { inject } from "vitest";
import { Settings } from "../src/config/Settings.ts";
import type { DataDirectory } from "../src/database/DataDirectory.ts";
import { Audiences } from "../src/devices/Audiences.ts";
import { DeviceAuthentication } from "../src/devices/DeviceAuthentication.ts";
import { DeviceLimits } from "../src/devices/limits/DeviceLimits.ts";
import { Copies } from "../src/copies/Copies.ts";
import { Devices } from "../src/devices/Devices.ts";
import { Registrations } from "../src/devices/registration/Registrations.ts";
import { RegisteredDevices } from "../src/devices/RegisteredDevices.ts";
import { HealthReports } from "../src/doctor/HealthReports.ts";
import { Answers } from "../src/events/answers/Answers.ts";
import { CustomEvents } from "../src/events/custom/CustomEvents.ts";
import { EventSummaries } from "../src/events/custom/EventSummaries.ts";
import { DeviceEventsSql } from "../src/events/DeviceEventsSql.ts";
import { Events } from "../src/events/Events.ts";
import { PublicAddresses } from "../src/http/PublicAddresses.ts";
import { RequestActivity } from "../src/http/RequestActivity.ts";
import { serverLayer } from "../src/http/Server.ts";
import { LocationIndexes } from "../src/locations/LocationIndexes.ts";
import { DeliveryList } from "../src/sending/deliveries/DeliveryList.ts";
import { Geofences } from "../src/positions/Geofences.ts";
import { Positions } from "../src/positions/Positions.ts";
import { CampaignExperiments } from "../src/experiments/CampaignExperiments.ts";
import { CampaignEstimates } from "../src/reports/estimates/CampaignEstimates.ts";
import { Reports } from "../src/reports/Reports.ts";
import { SurveyResults } from "../src/reports/surveys/SurveyResults.ts";
import { Explanations } from "../src/sending/explanations/Explanations.ts";
import { CampaignRecipients } from "../src/sending/recipients/CampaignRecipients.ts";
import { Previews } from "../src/sending/messages/preview/Previews.ts";
import { TestSends } from "../src/sending/messages/testing/TestSends.ts";
import { Messages } from "../src/sending/messages/Messages.ts";
import { PushCredentials } from "../src/sending/credentials/PushCredentials.ts";
import { TransportTests } from "../src/sending/push/TransportTests.ts";
import { UserSecrets } from "../src/devices/users/UserSecrets.ts";
import { Erasures } from "../src/people/Erasures.ts";
import { DeviceImports } from "../src/devices/import/DeviceImports.ts";
import { People } from "../src/people/People.ts";
import { NextOccurrences } from "../src/sending/sends/occurrences/NextOccurrences.ts";
import { Sends } from "../src/sending/sends/Sends.ts";
import { Webhooks } from "../src/webhooks/Webhooks.ts";
import type { MediaStore } from "../src/media/store/MediaStore.ts";
import { httpLayer, platformServices, requestServices } from "../src/Waypost.ts";
import { memoryMediaStore } from "./media/store/MemoryMediaStore.ts";
import { memoryLayer } from "./memory/TestRepositories.ts";
import type { MemoryStore } from "./memory/MemoryStore.ts";
import { fakeMedia, testDirectory, TestWaypost } from "./TestWaypost.ts";

/** Services whose statements are the product: they exist on PostgreSQL only. A call is a defect. */
const notInMemory = Layer.mergeAll(
  Layer.mock(LocationIndexes)({ changed: () => Effect.void }),
  Layer.mock(DeviceAuthentication)({}),
  Layer.mock(DeviceLimits)({}),
  Layer.mock(Devices)({}),
  Layer.mock(Registrations)({}),
  Layer.mock(RegisteredDevices)({}),
  Layer.mock(Events)({}),
  Layer.mock(Answers)({}),
  Layer.mock(Geofences)({}),
  Layer.mock(Positions)({}),
  Layer.mock(Messages)({}),
  Layer.mock(PushCredentials)({}),
  Layer.mock(Explanations)({}),
  Layer.mock(NextOccurrences)({}),
  Layer.mock(Previews)({}),
  Layer.mock(TestSends)({}),
  Layer.mock(TransportTests)({}),
  Layer.mock(Reports)({}),
  Layer.mock(Audiences)({}),
  Layer.mock(CampaignEstimates)({}),
  Layer.mock(CampaignExperiments)({}),
  Layer.mock(Copies)({}),
  Layer.mock(SurveyResults)({}),
  Layer.mock(DeliveryList)({}),
  Layer.mock(CampaignRecipients)({}),
  Layer.mock(Webhooks)({}),
  Layer.mock(Sends)({}),
  Layer.mock(UserSecrets)({}),
  Layer.mock(People)({}),
  Layer.mock(DeviceImports)({}),
  Layer.mock(Erasures)({}),
  Layer.mock(DeviceEventsSql)({}),
  Layer.mock(CustomEvents)({}),
  Layer.mock(EventSummaries)({}),
  Layer.mock(HealthReports)({}),
);

const memoryWaypost = (settings: Partial<Settings["Service"]>) =>
  Layer.effect(TestWaypost, TestWaypost.make).pipe(
    Layer.provide(httpLayer),
    Layer.provide(requestServices),
    Layer.provideMerge(platformServices),
    Layer.provide(notInMemory),
    Layer.provideMerge(memoryLayer),
    Layer.provide(PublicAddresses.layer),
    Layer.provide(serverLayer),
    Layer.provide(RequestActivity.layer),
    Layer.provide(Settings.layerTest({ port: 0, allowPrivateAddresses: true, ...settings })),
    Layer.provide(fakeMedia),
    Layer.provideMerge(memoryMediaStore),
    Layer.provideMerge(testDirectory),
  );

/**
 * `TestWaypost` for tests of rules, over the store of the Vitest project. Only the platform API and the
 * operator's resources that repositories in memory have can be used; there are no background jobs in memory.
 */
export const TestPlatform = {
  layerWith: (settings: Partial<Settings["Service"]> = {}) =>
    Layer.suspend(
      (): Layer.Layer<
        | TestWaypost
        | MediaStore
        | DataDirectory
        | Layer.Success<typeof platformServices>
        | Exclude<Layer.Success<typeof memoryLayer>, MemoryStore>,
        unknown
      > => (inject("store") === "memory" ? memoryWaypost(settings) : TestWaypost.layerWith(settings)),
    ),
  get layer() {
    return this.layerWith();
  },
};
