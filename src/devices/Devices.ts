import { Clock, Context, Effect, Layer } from "effect";
import { digest, makeSecret } from "../access/Credential.ts";
import { Settings } from "../config/Settings.ts";
import { Database } from "../database/Database.ts";
import { type EventType, hears } from "../outbox/EventType.ts";
import { Outbox } from "../outbox/Outbox.ts";
import { Unauthorized } from "../wire/ApiError.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { attributeProblems, mergedAttributes } from "./Attributes.ts";
import type { Device } from "./Device.ts";
import type { DevicePatch } from "./Device.ts";
import type { DeviceCaller } from "./DeviceCaller.ts";
import { DevicesSql } from "./DevicesSql.ts";
import { deviceToken } from "./DeviceToken.ts";
import { UserSecrets } from "./users/UserSecrets.ts";
import { storedAddress } from "./PushAddress.ts";
import { checkEndpoint } from "./PushEndpoint.ts";

/** The error for a token that became invalid while its request ran (contract B2). */
export const endedMeanwhile = Unauthorized.of(
  "unauthenticated",
  "This device was unregistered or its token replaced while the request ran.",
);

/** Changes and unregistration of devices. `Registrations` registers them. */
export class Devices extends Context.Service<Devices>()("waypost/devices/Devices", {
  make: Effect.gen(function* () {
    const { allowPrivateAddresses } = yield* Settings;
    const database = yield* Database;
    const repository = yield* DevicesSql;
    const outbox = yield* Outbox;
    const userSecrets = yield* UserSecrets;

    /** Records an event about a device. Its token is not part of it. */
    const record = ({ environment, workspaceId }: Tenant, type: EventType, data: Device, at: number) =>
      outbox.record([{ workspaceId, environment, type, at, data }]);

    /** Records that a device wants messages again, or no more (contract Q2). */
    const recordSubscription = (tenant: Tenant, wasSubscribed: boolean, device: Device, now: number) =>
      device.subscribed === wasSubscribed
        ? Effect.void
        : record(tenant, device.subscribed ? "device.subscribed" : "device.unsubscribed", device, now);

    return {
      /** Changes the sent fields and keeps the others. @throws 401, 403, 422 */
      change: Effect.fn("Devices.change")(function* (
        caller: DeviceCaller["Service"],
        body: ParsedBody<DevicePatch>,
      ) {
        const { fields, problems } = body;
        checkEndpoint(fields.push, problems, allowPrivateAddresses);
        const now = yield* Clock.currentTimeMillis;
        return yield* database.atomically(
          Effect.gen(function* () {
            const locked = yield* repository.lock(caller);
            if (locked === null) return yield* endedMeanwhile;
            const { attributes: sent } = fields;
            const attributes =
              sent === undefined
                ? undefined
                : mergedAttributes(sent === null ? {} : locked.attributes, sent ?? {});
            if (!problems.has("attributes") && attributes !== undefined) {
              for (const problem of attributeProblems(attributes)) problems.add("attributes", problem);
            }
            const patch = yield* body.complete;
            yield* userSecrets.check(caller, patch);
            const change = {
              push: patch.push === undefined ? undefined : storedAddress(patch.push),
              attributes,
              locale: patch.locale,
              timezone: patch.timezone,
              app_version: patch.app_version,
              user_id: patch.user_id,
              subscribed: patch.subscribed,
            };
            const device = yield* repository.update(caller, locked, change, now);
            if (device === null) return yield* Effect.die(new Error("A locked device is gone"));
            yield* recordSubscription(caller, locked.subscribed, device, now);
            return device;
          }),
        );
      }),

      /** Replaces the token; the current one ends. @throws 401 */
      rotate: Effect.fn("Devices.rotate")(function* (caller: DeviceCaller["Service"]) {
        const secret = makeSecret();
        if (!(yield* repository.rotate(caller, digest(secret)))) return yield* endedMeanwhile;
        return { device_token: deviceToken(caller, secret) };
      }),

      /** Ends the token; nothing more is sent to the device. Its past stays in the reports. @throws 401 */
      unregister: Effect.fn("Devices.unregister")(function* (caller: DeviceCaller["Service"]) {
        const now = yield* Clock.currentTimeMillis;
        const unregister = Effect.flatMap(repository.unregister(caller, now), (device) =>
          device === null ? endedMeanwhile : Effect.succeed(device),
        );
        yield* hears(caller.webhookEvents, "device.unregistered")
          ? database.atomically(
              Effect.flatMap(unregister, (device) => record(caller, "device.unregistered", device, now)),
            )
          : unregister;
        return { id: caller.deviceId, deleted: true as const };
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Devices, Devices.make).pipe(Layer.provide(DevicesSql.layer));
}
