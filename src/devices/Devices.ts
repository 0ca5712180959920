import { Clock, Context, Effect, Layer } from "effect";
import { timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import { digest, makeSecret } from "../access/Credential.ts";
import { Settings } from "../config/Settings.ts";
import { Database } from "../database/Database.ts";
import { isPublicAddress } from "../notifications/PublicAddressRanges.ts";
import { Forbidden, NotFound, Unauthorized } from "../wire/ApiError.ts";
import { idAt, isUuid } from "../wire/Ids.ts";
import type { Problems } from "../wire/Problems.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import { codePoints, unstorable } from "../wire/Text.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { attributeProblems, mergedAttributes } from "./Attributes.ts";
import type { DevicePatch, Registration, RegistrationDraft } from "./Device.ts";
import type { DeviceCaller } from "./DeviceCaller.ts";
import { DevicesSql, type HeldDevice, type RegistrationRow } from "./DevicesSql.ts";
import { deviceToken, openDeviceToken } from "./DeviceToken.ts";
import { type PushAddress, storedAddress } from "./PushAddress.ts";

/** Whether this is the token that a device has now. */
export const isTokenOf = (digestOfDevice: Uint8Array, secret: string): boolean =>
  timingSafeEqual(digestOfDevice, digest(secret));

/** What a token that stops being good while its request runs is told (contract B2). */
export const endedMeanwhile = Unauthorized.of(
  "unauthenticated",
  "This device was unregistered or its token replaced while the request ran.",
);

const tokenRequired = Forbidden.of(
  "device_token_required",
  "This installation is registered and its token in use: send that token in the header X-Device-Token to register it anew.",
);

/** Devices of an environment: how they register, change and leave. */
export class Devices extends Context.Service<Devices>()("waypost/devices/Devices", {
  make: Effect.gen(function* () {
    const { allowPrivateAddresses } = yield* Settings;
    const database = yield* Database;
    const repository = yield* DevicesSql;

    /** What the shape alone cannot tell of a push address: that it leads to the public internet. */
    const checkPush = (push: PushAddress | null | undefined, problems: Problems) => {
      if (push?.transport !== "webpush" || allowPrivateAddresses) return;
      const { hostname, protocol } = new URL(push.endpoint);
      if (protocol !== "https:") problems.add("push.endpoint", "The endpoint must be an https address.");
      const host = hostname.replace(/^\[|\]$/g, "");
      if (host === "localhost" || (isIP(host) !== 0 && !isPublicAddress(host))) {
        problems.add("push.endpoint", "The endpoint must be an address of the public internet.");
      }
    };

    const rowOf = (draft: RegistrationDraft): RegistrationRow => ({
      platform: draft.platform,
      ...storedAddress(draft.push ?? null),
      attributes: mergedAttributes({}, draft.attributes ?? {}),
      locale: draft.locale ?? null,
      timezone: draft.timezone ?? null,
      app_version: draft.app_version ?? null,
    });

    /** The held device keeps its token if that is in use; whoever registers it anew must then know it. */
    const reRegister = Effect.fnUntraced(function* (
      tenant: Tenant,
      held: HeldDevice,
      presented: string | undefined,
      row: RegistrationRow,
      now: number,
    ) {
      const opened = presented === undefined ? null : openDeviceToken(presented);
      const knowsToken = opened !== null && isTokenOf(held.token_digest, opened.secret);
      if (!held.unregistered && held.token_used && !knowsToken) return yield* tokenRequired;
      // Who sends the token has got it, which is a use of it: no need for another one.
      const secret = knowsToken && !held.unregistered ? null : makeSecret();
      const rows = yield* repository.replace(
        tenant,
        held.key,
        row,
        secret === null ? null : digest(secret),
        now,
      );
      const registration: Registration | undefined = rows[0] && {
        ...rows[0],
        ...(secret === null ? {} : { device_token: deviceToken({ ...tenant, key: held.key }, secret) }),
      };
      return { isNew: held.unregistered, registration };
    });

    const one = <A>(rows: ReadonlyArray<A>) =>
      rows[0] === undefined ? Effect.fail(NotFound.resource("device")) : Effect.succeed(rows[0]);

    return {
      /**
       * Registers an installation, replacing the whole of an earlier registration. A token that nobody has used yet is
       * replaced by a new one, so that a lost answer locks nobody out; one in use must be `presented`. @throws 403, 422
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
        const row = rowOf(yield* body.complete);
        const now = yield* Clock.currentTimeMillis;
        const attempt = database.atomically(
          Effect.gen(function* () {
            const held = (yield* repository.holdInstallation(tenant, installation))[0];
            if (held !== undefined) return yield* reRegister(tenant, held, presented, row, now);
            const secret = makeSecret();
            // Production reaches everyone, so nobody waits for an approval there.
            const approved = tenant.environment === "production";
            const device = { id: idAt(now), installationId: installation, approved };
            const made = (yield* repository.insert(tenant, device, row, digest(secret), now))[0];
            if (made === undefined) return { isNew: false, registration: undefined };
            const { key, ...fieldsOfDevice } = made;
            const token = deviceToken({ ...tenant, key }, secret);
            return { isNew: true, registration: { ...fieldsOfDevice, device_token: token } };
          }),
        );
        const first = yield* attempt;
        // Another registration of the same installation came first: then this one is a repeat.
        const { isNew, registration } = first.registration === undefined ? yield* attempt : first;
        if (registration === undefined) return yield* Effect.die(new Error("A registration met no device"));
        return { isNew, registration };
      }),

      /** Changes what is sent and keeps the rest. @throws 422 */
      change: Effect.fn("Devices.change")(function* (
        caller: DeviceCaller["Service"],
        body: ParsedBody<DevicePatch>,
      ) {
        const { fields, problems } = body;
        checkPush(fields.push, problems);
        const now = yield* Clock.currentTimeMillis;
        return yield* database.atomically(
          Effect.gen(function* () {
            const held = (yield* repository.hold(caller, caller.deviceKey))[0];
            if (held === undefined || held.unregistered) return yield* endedMeanwhile;
            const attributes =
              fields.attributes === undefined
                ? undefined
                : mergedAttributes(
                    fields.attributes === null ? {} : held.attributes,
                    fields.attributes ?? {},
                  );
            if (!problems.has("attributes") && attributes !== undefined) {
              for (const problem of attributeProblems(attributes)) problems.add("attributes", problem);
            }
            const patch = yield* body.complete;
            const rows = yield* repository.update(
              caller,
              caller.deviceKey,
              {
                push: patch.push === undefined ? undefined : storedAddress(patch.push),
                attributes,
                locale: patch.locale,
                timezone: patch.timezone,
                app_version: patch.app_version,
              },
              now,
            );
            return yield* Effect.orDie(one(rows));
          }),
        );
      }),

      /** Ends the token at once and begins a new one. */
      rotate: Effect.fn("Devices.rotate")(function* (caller: DeviceCaller["Service"]) {
        const secret = makeSecret();
        const rows = yield* repository.rotate(caller, caller.deviceKey, digest(secret));
        if (rows.length === 0) return yield* endedMeanwhile;
        return { device_token: deviceToken({ ...caller, key: caller.deviceKey }, secret) };
      }),

      /** Nothing is sent to the device any more, and its token ends; what it did stays in the reports. */
      unregister: Effect.fn("Devices.unregister")(function* (caller: DeviceCaller["Service"]) {
        yield* repository.unregister(caller, caller.deviceKey, yield* Clock.currentTimeMillis);
        return { id: caller.deviceId, deleted: true as const };
      }),

      /** Registered devices, newest first. */
      page: repository.page,

      /** Approves a test device or takes the approval back. @throws 404 */
      setApproved: (tenant: Tenant, id: string, approved: boolean) =>
        Effect.flatMap(isUuid(id) ? repository.setApproved(tenant, id, approved) : Effect.succeed([]), one),
    };
  }),
}) {
  static readonly layer = Layer.effect(Devices, Devices.make).pipe(Layer.provide(DevicesSql.layer));
}
