import { Clock, Context, Effect, Layer } from "effect";
import { Database } from "../../../database/Database.ts";
import { obstacles } from "../../../devices/Obstacle.ts";
import { isSameForAll } from "../../../notifications/templates/MessageTexts.ts";
import { Notifications } from "../../../notifications/Notifications.ts";
import { Outbox } from "../../../outbox/Outbox.ts";
import { NotFound } from "../../../wire/ApiError.ts";
import { isUuid, type LocationKey } from "../../../wire/Ids.ts";
import type { ParsedBody } from "../../../wire/ParsedBody.ts";
import type { Tenant } from "../../../workspaces/Workspace.ts";
import { type InitialStatus, initialStatus } from "../../deliveries/Delivery.ts";
import { MessageIds } from "../../deliveries/MessageId.ts";
import { PushCredentials } from "../../credentials/PushCredentials.ts";
import { type CurrentContent, CurrentContentsSql } from "../../rendering/CurrentContentsSql.ts";
import { Recipients } from "../../rendering/Recipients.ts";
import type { TestSend, TestSendDraft } from "./TestSend.ts";
import { type TestDelivery, type TestDevice, TestSendsSql } from "./TestSendsSql.ts";

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
    const ids = yield* MessageIds;

    /** The devices of a request, each once. Adds a problem for each that is no approved test device. */
    const checkDevices = Effect.fnUntraced(function* (
      tenant: Tenant,
      { fields, problems }: ParsedBody<TestSendDraft>,
    ) {
      const given = fields.device_ids ?? [];
      const found = given.length === 0 ? [] : yield* repository.devices(tenant, given);
      const byId = new Map(found.map((device) => [device.id, device]));
      for (const [index, id] of given.entries()) {
        const device = byId.get(id);
        if (device !== undefined && device.obstacle !== "not_approved") continue;
        problems.add(
          `device_ids.${index}`,
          device === undefined
            ? "There is no registered device with this id in this workspace and environment."
            : "The device is not an approved test device: approve it first.",
        );
      }
      return [...new Set(given)].flatMap((id) => byId.get(id) ?? []);
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
      // A push campaign's messages have no location (contract O1.8).
      return trigger === "fixed_time" ? null : key;
    });

    /** How the deliveries to devices begin, and what they keep of their recipients. */
    const statuses = Effect.fnUntraced(function* (
      { environment, workspaceId }: Tenant,
      content: CurrentContent,
      locationKey: LocationKey | null,
      devices: ReadonlyArray<TestDevice>,
      now: number,
    ) {
      const [configured = new Set()] = yield* credentials.configured([{ workspaceId, environment }]);
      const { campaignKey } = content;
      const about = { workspaceId, environment, campaignKey, locationKey, recipient: null, now };
      const keys = devices.map(({ deviceKey }) => ({ ...about, deviceKey }));
      const found = isSameForAll(content) ? [] : yield* recipients.of(keys);
      return devices.map(
        ({ obstacle, transport }, index): InitialStatus & Pick<TestDelivery, "recipient"> => {
          const failed = (lastError: string) => ({ status: "failed" as const, lastError, recipient: null });
          if (obstacle !== null) return failed(obstacles[obstacle]);
          const recipient = found[index];
          const rendered = recipient?.render(content);
          if (rendered?._tag === "Failed") return failed(rendered.reason);
          const kept = rendered === undefined ? null : (recipient?.kept(content, rendered.variables) ?? null);
          return { ...initialStatus(transport, configured), recipient: kept };
        },
      );
    });

    return {
      /** A notification of a campaign with its current content. @throws 404 */
      find: Effect.fn("TestSends.find")(function* (tenant: Tenant, campaign: string, notification: string) {
        const areIds = isUuid(campaign) && isUuid(notification);
        const content = areIds ? yield* contents.find(tenant, campaign, notification) : null;
        if (content !== null) return content;
        yield* notifications.find(tenant, campaign, notification);
        return yield* NotFound.resource("notification");
      }),

      /**
       * Sends a notification now to 1 to 20 devices, whatever schedule, pause and caps say. @throws 422 with
       * all problems
       */
      send: Effect.fn("TestSends.send")(function* (
        tenant: Tenant,
        content: CurrentContent,
        body: ParsedBody<TestSendDraft>,
      ) {
        const devices = yield* checkDevices(tenant, body);
        const locationKey = yield* checkLocation(tenant, content, body);
        yield* body.complete;
        const now = yield* Clock.currentTimeMillis;
        const { environment, workspaceId } = tenant;
        const initial = yield* statuses(tenant, content, locationKey, devices, now);
        const due = devices.flatMap(({ deviceKey, transport }, index) => {
          const status = initial[index];
          const {
            campaignKey,
            contentKey,
            notificationKey,
            trigger: triggerType,
            type: contentType,
          } = content;
          const keys = { workspaceId, environment, deviceKey, campaignKey, notificationKey, contentKey };
          return status === undefined
            ? []
            : [{ ...keys, transport, contentType, triggerType, locationKey, failure: null, now, ...status }];
        });
        const [source] = yield* repository.insert(tenant, due);
        if (source === undefined) return yield* Effect.die(new Error("A test send has no source id"));
        const { sourceId } = source;
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
        return {
          deliveries: devices.map(({ deviceKey, id }) => ({
            id: ids.idOf({ sourceId, deviceKey }),
            device_id: id,
          })),
        } satisfies TestSend;
      }, database.atomically),
    };
  }),
}) {
  static readonly layer = Layer.effect(TestSends, TestSends.make).pipe(
    Layer.provide([TestSendsSql.layer, CurrentContentsSql.layer, Recipients.layer, MessageIds.layer]),
  );
}
