import { Clock, Context, Effect, Layer } from "effect";
import { Database } from "../../../database/Database.ts";
import { type DeviceObstacle, obstacles } from "../../../devices/Obstacle.ts";
import { isSameForAllVariants } from "../../../notifications/templates/MessageTexts.ts";
import { Notifications } from "../../../notifications/Notifications.ts";
import { Outbox } from "../../../outbox/Outbox.ts";
import { PaceLedgerSql } from "../../pacing/PaceLedgerSql.ts";
import { NotFound, TooManyRequests } from "../../../wire/ApiError.ts";
import { DeviceKey, isUuid, type LocationKey } from "../../../wire/Ids.ts";
import type { ParsedBody } from "../../../wire/ParsedBody.ts";
import { mapSliced } from "../../../workers/TimeSlices.ts";
import type { Tenant } from "../../../workspaces/Workspace.ts";
import { initialStatus } from "../../deliveries/Delivery.ts";
import { counted } from "../../../wire/Text.ts";
import { MessageIds } from "../../deliveries/MessageId.ts";
import { unitOf, variantOf } from "../../arms/Arm.ts";
import { checkVariant, wordsOf } from "../../arms/Experiment.ts";
import { PushCredentials } from "../../credentials/PushCredentials.ts";
import { type CurrentContent, CurrentContentsSql } from "../../rendering/CurrentContentsSql.ts";
import { Recipients } from "../../rendering/Recipients.ts";
import type { TestSend, TestSendDraft } from "./TestSend.ts";
import { type TestDelivery, type TestDevice, type TestOutcome, TestSendsSql } from "./TestSendsSql.ts";

/** How many tests a device gets in any hour (contract O4). */
const maxTests = 20;
const hourMillis = 3_600_000;

/** In the id of a test the key of no device stands for all. */
const everyDevice = DeviceKey(0);

/** How a delivery of a test begins. */
type FirstOutcome = ReturnType<typeof initialStatus> & Pick<TestDelivery, "recipient" | "variant">;

/** Obstacles for which a test is refused. Others make its delivery fail. */
const refusals: Partial<Record<DeviceObstacle, string>> = {
  not_approved: "The device is not an approved test device: approve it first.",
  unsubscribed: "The device wants no messages: choose one that does.",
};

/** Sends notifications to approved test devices (contract O4). */
export class TestSends extends Context.Service<TestSends>()("waypost/sending/testing/TestSends", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* TestSendsSql;
    const contents = yield* CurrentContentsSql;
    const notifications = yield* Notifications;
    const recipients = yield* Recipients;
    const credentials = yield* PushCredentials;
    const outbox = yield* Outbox;
    const ledger = yield* PaceLedgerSql;
    const ids = yield* MessageIds;

    const shown = (sourceId: bigint, outcomes: ReadonlyArray<TestOutcome>): TestSend => ({
      id: ids.idOf({ sourceId, deviceKey: everyDevice }),
      deliveries: outcomes.map(({ deviceKey, ...outcome }) => ({
        id: ids.idOf({ sourceId, deviceKey }),
        ...outcome,
      })),
    });

    /** A notification of a campaign with its current content. @throws 404 */
    const find = Effect.fn("TestSends.find")(function* (
      tenant: Tenant,
      campaign: string,
      notification: string,
    ) {
      const areIds = isUuid(campaign) && isUuid(notification);
      const content = areIds ? yield* contents.find(tenant, campaign, notification) : null;
      if (content !== null) return content;
      yield* notifications.find(tenant, campaign, notification);
      return yield* NotFound.resource("notification");
    });

    /**
     * The devices of a request, each once. Adds a problem for each that is no approved test device or wants
     * no messages.
     */
    const checkDevices = Effect.fnUntraced(function* (
      tenant: Tenant,
      { fields, problems }: ParsedBody<TestSendDraft>,
    ) {
      const given = fields.device_ids ?? [];
      const found = given.length === 0 ? [] : yield* repository.devices(tenant, given);
      const byId = new Map(found.map((device) => [device.id, device]));
      for (const [index, id] of given.entries()) {
        const device = byId.get(id);
        const refusal =
          device === undefined
            ? "There is no registered device with this id in this workspace and environment."
            : device.obstacle && refusals[device.obstacle];
        if (refusal) problems.add(`device_ids.${index}`, refusal);
      }
      return [...new Set(given)].flatMap((id) => byId.get(id) ?? []);
    });

    /** Refuses a test for locked devices of which one has had its tests of the last hour. @throws 429 */
    const checkRate = Effect.fnUntraced(function* (
      tenant: Tenant,
      devices: ReadonlyArray<TestDevice>,
      now: number,
    ) {
      const keys = devices.map(({ deviceKey }) => deviceKey);
      const exhausted = yield* repository.exhausted(tenant, keys, now - hourMillis, maxTests);
      if (exhausted.length === 0) return;
      const until = Math.max(...exhausted.map(({ at }) => at)) + hourMillis;
      const seconds = Math.ceil((until - now) / 1000);
      const full = devices.filter(({ deviceKey }) => exhausted.some((each) => each.deviceKey === deviceKey));
      return yield* TooManyRequests.of(
        "rate_limited",
        `A device gets at most ${maxTests} test messages an hour, and has had them: ` +
          `${full.map(({ id }) => id).join(", ")}. Try again in ${counted(seconds, "second")}.`,
        seconds,
      );
    });

    const checkLocation = Effect.fnUntraced(function* (
      tenant: Tenant,
      { trigger }: CurrentContent,
      { fields, problems }: ParsedBody<TestSendDraft>,
    ) {
      const id = fields.location_id ?? null;
      const key = id === null ? null : yield* contents.locationKey(tenant, id);
      if (id !== null && key === null) {
        problems.add("location_id", "There is no location with this id in this workspace and environment.");
      }
      // Messages of sends and of custom events have no location (contract O1.8, V4.10).
      return trigger === "fixed_time" || trigger === "on_event" ? null : key;
    });

    /** How the deliveries to devices begin, and what they keep of their recipients. */
    const statuses = Effect.fnUntraced(function* (
      { environment, workspaceId }: Tenant,
      content: CurrentContent,
      locationKey: LocationKey | null,
      devices: ReadonlyArray<TestDevice>,
      chosen: string | null,
      now: number,
    ) {
      const [configured = new Set()] = yield* credentials.configured([{ workspaceId, environment }]);
      const { campaignKey } = content;
      const about = { workspaceId, environment, campaignKey, locationKey, recipient: null, now };
      const keys = devices.map(({ deviceKey }) => ({ ...about, deviceKey }));
      const found = isSameForAllVariants(content) ? [] : yield* recipients.of(keys);
      const { notification_id: notification, variants } = content;
      return yield* mapSliced(devices, ({ id, obstacle, transport, userId }, index): FirstOutcome => {
        const variant = chosen ?? variantOf(notification, variants, unitOf(id, userId));
        const source = { ...content, variantTexts: wordsOf(variants, { variant, winner: null }) };
        const failed = (lastError: string) => ({
          status: "failed" as const,
          lastError,
          recipient: null,
          variant,
        });
        if (obstacle !== null) return failed(obstacles[obstacle]);
        const recipient = found[index];
        const rendered = recipient?.render(source);
        if (rendered?._tag === "Failed") return failed(rendered.reason);
        const kept = rendered === undefined ? null : (recipient?.kept(source, rendered.variables) ?? null);
        return { ...initialStatus(transport, configured), recipient: kept, variant };
      });
    });

    return {
      find,

      /** A test with the outcomes of its deliveries. @throws 404 */
      outcome: Effect.fn("TestSends.outcome")(function* (
        tenant: Tenant,
        campaign: string,
        notification: string,
        test: string,
      ) {
        const content = yield* find(tenant, campaign, notification);
        const key = ids.keyOf(test);
        const isTest = key !== null && key.deviceKey === everyDevice;
        const outcomes = isTest ? yield* repository.outcomes(tenant, content, key.sourceId) : [];
        return key === null || outcomes.length === 0
          ? yield* NotFound.resource("test send")
          : shown(key.sourceId, outcomes);
      }),

      /**
       * Sends a notification now to 1 to 20 devices, whatever schedule, pause and caps say. @throws 422 with
       * all problems, 429
       */
      send: Effect.fn("TestSends.send")(function* (
        tenant: Tenant,
        content: CurrentContent,
        body: ParsedBody<TestSendDraft>,
      ) {
        const devices = yield* checkDevices(tenant, body);
        const locationKey = yield* checkLocation(tenant, content, body);
        const chosen = body.fields.variant ?? null;
        checkVariant(chosen, content.variants, body.problems);
        yield* body.complete;
        const now = yield* Clock.currentTimeMillis;
        yield* checkRate(tenant, devices, now);
        const { environment, workspaceId } = tenant;
        const initial = yield* statuses(tenant, content, locationKey, devices, chosen, now);
        const due = devices.flatMap(({ deviceKey, id: device_id, transport }, index) => {
          const status = initial[index];
          const { campaignKey, contentKey, notificationKey } = content;
          const { trigger: triggerType, type: contentType } = content;
          const keys = { workspaceId, environment, deviceKey, campaignKey, notificationKey, contentKey };
          const more = { device_id, transport, contentType, triggerType, locationKey, failure: null, now };
          return status === undefined ? [] : [{ ...keys, ...more, ...status }];
        });
        const [{ sourceId } = yield* Effect.die(new Error("A test send has no source id"))] =
          yield* repository.insert(tenant, due);
        const permits = due.filter(({ status }) => status === "delivered").length;
        if (tenant.workspace.max_per_minute !== null && permits > 0)
          yield* ledger.add([{ workspaceId, environment, sourceId, campaignKey: null, permits }]);
        yield* outbox.record(
          due.flatMap(({ deviceKey, status }) =>
            status === "delivered" || status === "failed"
              ? [
                  {
                    workspaceId,
                    environment,
                    type: `message.${status}` as const,
                    at: now,
                    sourceId,
                    deviceKey,
                  },
                ]
              : [],
          ),
        );
        return shown(
          sourceId,
          due.map(({ deviceKey, device_id, lastError, status }) => ({
            deviceKey,
            device_id,
            status,
            last_error: lastError,
          })),
        );
      }, database.atomically),
    };
  }),
}) {
  static readonly layer = Layer.effect(TestSends, TestSends.make).pipe(
    Layer.provide([TestSendsSql.layer, CurrentContentsSql.layer, PaceLedgerSql.layer, Recipients.layer]),
    Layer.provide(MessageIds.layer),
  );
}
