import { Clock, Context, Effect, Layer } from "effect";
import { timingSafeEqual } from "node:crypto";
import { digest, makeSecret } from "../access/Credential.ts";
import { Settings } from "../config/Settings.ts";
import { Database } from "../database/Database.ts";
import { type EventType, hears } from "../outbox/EventType.ts";
import { Outbox } from "../outbox/Outbox.ts";
import { Forbidden, Unauthorized } from "../wire/ApiError.ts";
import { idAt } from "../wire/Ids.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import type { Problems } from "../wire/Problems.ts";
import { codePoints } from "../wire/CodePoints.ts";
import { unstorable } from "../wire/Text.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { attributeProblems, mergedAttributes } from "./Attributes.ts";
import type { Device } from "./Device.ts";
import type { DevicePatch, Registration, RegistrationDraft } from "./Device.ts";
import type { DeviceCaller } from "./DeviceCaller.ts";
import { DevicesSql, type LockedDevice, type RegistrationRow } from "./DevicesSql.ts";
import { deviceToken, openDeviceToken } from "./DeviceToken.ts";
import { UserSecrets } from "./users/UserSecrets.ts";
import { type PushAddress, storedAddress } from "./PushAddress.ts";
import { endpointProblems } from "./PushEndpoint.ts";

/** Whether a secret is the one of a device's current token. */
export const isTokenOf = (digestOfDevice: Uint8Array, secret: string): boolean =>
  timingSafeEqual(digestOfDevice, digest(secret));

/** The error for a token that became invalid while its request ran (contract B2). */
export const endedMeanwhile = Unauthorized.of(
  "unauthenticated",
  "This device was unregistered or its token replaced while the request ran.",
);

const tokenRequired = Forbidden.of(
  "device_token_required",
  "This installation is registered and its token in use: send that token in the header X-Device-Token to " +
    "register it again.",
);

/** Devices of an environment: registration, changes and unregistration. */
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

    /** Checks that a Web Push endpoint leads to the public internet. */
    const checkPush = (push: PushAddress | null | undefined, problems: Problems) => {
      if (allowPrivateAddresses || push === null || push === undefined) return;
      for (const problem of endpointProblems(push)) problems.add("push.endpoint", problem);
    };

    const rowOf = (draft: RegistrationDraft): RegistrationRow => ({
      platform: draft.platform,
      ...storedAddress(draft.push ?? null),
      attributes: mergedAttributes({}, draft.attributes ?? {}),
      locale: draft.locale ?? null,
      timezone: draft.timezone ?? null,
      app_version: draft.app_version ?? null,
      user_id: draft.user_id ?? null,
      subscribed: draft.subscribed ?? null,
    });

    /** Records that a device wants messages again, or no more (contract Q2). */
    const recordSubscription = (tenant: Tenant, wasSubscribed: boolean, device: Device, now: number) =>
      device.subscribed === wasSubscribed
        ? Effect.void
        : record(tenant, device.subscribed ? "device.subscribed" : "device.unsubscribed", device, now);

    /** A device whose token is in use keeps it; registering it again requires that token. */
    const registerAgain = Effect.fnUntraced(function* (
      tenant: Tenant,
      locked: LockedDevice,
      presented: string | undefined,
      row: RegistrationRow,
      now: number,
    ) {
      const opened = presented === undefined ? null : openDeviceToken(presented);
      const knowsToken = opened !== null && isTokenOf(locked.token_digest, opened.secret);
      if (!locked.unregistered && locked.token_used && !knowsToken) return yield* tokenRequired;
      // A client that presents the token has received it, so it needs no new one.
      const secret = knowsToken && !locked.unregistered ? null : makeSecret();
      const newDigest = secret === null ? null : digest(secret);
      const device = yield* repository.replace(tenant, locked, row, newDigest, now);
      const token = secret && deviceToken({ ...tenant, deviceKey: locked.key }, secret);
      const registration = device && { ...device, ...(token && { device_token: token }) };
      if (device !== null) {
        if (locked.unregistered) yield* record(tenant, "device.registered", device, now);
        yield* recordSubscription(tenant, locked.subscribed, device, now);
      }
      return { isNew: locked.unregistered, registration };
    });

    const registerNew = Effect.fnUntraced(function* (
      tenant: Tenant,
      installationId: string,
      row: RegistrationRow,
      now: number,
    ) {
      const secret = makeSecret();
      // Production reaches everyone, so devices need no approval there.
      const approved = tenant.environment === "production";
      const device = { id: idAt(now), installationId, approved };
      const inserted = yield* repository.insert(tenant, device, row, digest(secret), now);
      if (inserted === null) return { isNew: false, registration: null };
      const { key, webhook_events, ...fields } = inserted;
      if (hears(webhook_events, "device.registered")) yield* record(tenant, "device.registered", fields, now);
      const token = deviceToken({ ...tenant, deviceKey: key }, secret);
      return { isNew: true, registration: { ...fields, device_token: token } satisfies Registration };
    });

    return {
      /**
       * Registers an installation, replacing an earlier registration as a whole. A token that has not been
       * used yet is replaced, so that a lost response locks nobody out; one in use must be `presented`.
       * @throws 403, 422
       */
      register: Effect.fn("Devices.register")(function* (
        tenant: Tenant,
        installationId: string,
        presented: string | undefined,
        body: ParsedBody<RegistrationDraft>,
      ) {
        const { fields, problems } = body;
        const installation = installationId.trim();
        if (unstorable(installation) !== null || installation === "" || codePoints(installation) > 255) {
          problems.add(
            "installation_id",
            "The installation id must have 1 to 255 characters, none of them NUL.",
          );
        }
        checkPush(fields.push, problems);
        const draft = yield* body.complete;
        yield* userSecrets.check(tenant, draft);
        const row = rowOf(draft);
        const now = yield* Clock.currentTimeMillis;
        const attempt = database.atomically(
          Effect.flatMap(repository.lockInstallation(tenant, installation), (locked) =>
            locked === null
              ? registerNew(tenant, installation, row, now)
              : registerAgain(tenant, locked, presented, row, now),
          ),
        );
        const first = yield* attempt;
        // If a concurrent registration of the installation came first, this one registers it again.
        const { isNew, registration } = first.registration === null ? yield* attempt : first;
        if (registration === null) return yield* Effect.die(new Error("A registration found no device"));
        return { isNew, registration };
      }),

      /** Changes the sent fields and keeps the others. @throws 401, 403, 422 */
      change: Effect.fn("Devices.change")(function* (
        caller: DeviceCaller["Service"],
        body: ParsedBody<DevicePatch>,
      ) {
        const { fields, problems } = body;
        checkPush(fields.push, problems);
        const now = yield* Clock.currentTimeMillis;
        return yield* database.atomically(
          Effect.gen(function* () {
            const locked = yield* repository.lock(caller, caller.deviceKey);
            if (locked === null || locked.unregistered) return yield* endedMeanwhile;
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
        if (!(yield* repository.rotate(caller, caller.deviceKey, digest(secret))))
          return yield* endedMeanwhile;
        return { device_token: deviceToken(caller, secret) };
      }),

      /** Ends the token; nothing more is sent to the device. Its past stays in the reports. */
      unregister: Effect.fn("Devices.unregister")(function* (caller: DeviceCaller["Service"]) {
        const now = yield* Clock.currentTimeMillis;
        const unregister = repository.unregister(caller, caller.deviceKey, now);
        if (!hears(caller.webhookEvents, "device.unregistered")) yield* unregister;
        else {
          yield* database.atomically(
            Effect.flatMap(unregister, (device) =>
              device === null ? Effect.void : record(caller, "device.unregistered", device, now),
            ),
          );
        }
        return { id: caller.deviceId, deleted: true as const };
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Devices, Devices.make).pipe(Layer.provide(DevicesSql.layer));
}
