import { Cause, Clock, Context, Effect, Layer } from "effect";
import { digest, makeSecret } from "../../access/Credential.ts";
import { batchedByKey } from "../../database/Batched.ts";
import { Settings } from "../../config/Settings.ts";
import { Database } from "../../database/Database.ts";
import { pipelined } from "../../database/pool/TransactionConnection.ts";
import { type EventType, hears } from "../../outbox/EventType.ts";
import { Outbox, type OutgoingEvent } from "../../outbox/Outbox.ts";
import { Forbidden } from "../../wire/ApiError.ts";
import { codePoints } from "../../wire/CodePoints.ts";
import { idAt } from "../../wire/Ids.ts";
import type { ParsedBody } from "../../wire/ParsedBody.ts";
import { unstorable } from "../../wire/Text.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import { mergedAttributes } from "../Attributes.ts";
import type { Device, Registration, RegistrationDraft } from "../Device.ts";
import { deviceToken, isTokenOf, openDeviceToken } from "../DeviceToken.ts";
import { storedAddress } from "../PushAddress.ts";
import { checkEndpoint } from "../PushEndpoint.ts";
import { UserSecrets } from "../users/UserSecrets.ts";
import {
  type KnownDevice,
  type LockedInstallation,
  type NewDevice,
  type RegistrationRow,
  RegistrationsSql,
} from "./RegistrationsSql.ts";

const maxBatch = 64;

const tokenRequired = Forbidden.of(
  "device_token_required",
  "This installation is registered and its token in use: send that token in the header X-Device-Token to " +
    "register it again.",
);

/** A registration that passed every rule but that on the token. */
interface RegistrationRequest {
  readonly tenant: Tenant;
  readonly row: RegistrationRow;
  /** The token in X-Device-Token. */
  readonly presented: string | undefined;
}

/**
 * The outcome of a request: its registration, `refused` without the token in use, or null if another
 * transaction holds the installation or has just registered it.
 */
type Outcome = { readonly isNew: boolean; readonly registration: Registration } | "refused" | null;

/** A device to store, with the secret of its new token; null if it keeps its token. */
type Step =
  | { readonly _tag: "New"; readonly device: NewDevice; readonly secret: string }
  | {
      readonly _tag: "Known";
      readonly device: KnownDevice;
      readonly secret: string | null;
      readonly locked: LockedInstallation;
    }
  | { readonly _tag: "Refused" };

/** A device whose token is in use keeps it; registering it again requires that token. */
const stepOf = ({ presented, row }: RegistrationRequest, locked: LockedInstallation | undefined): Step => {
  if (locked === undefined) {
    const secret = makeSecret();
    return { _tag: "New", device: { row, id: idAt(row.now), digest: digest(secret) }, secret };
  }
  const opened = presented === undefined ? null : openDeviceToken(presented);
  const knowsToken = opened !== null && isTokenOf(locked.token_digest, opened.secret);
  if (!locked.unregistered && locked.token_used && !knowsToken) return { _tag: "Refused" };
  // A client that presents the token has received it, so it needs no new one.
  const secret = knowsToken && !locked.unregistered ? null : makeSecret();
  const device = {
    row,
    key: locked.key,
    digest: secret === null ? null : digest(secret),
    unregistered: locked.unregistered,
    hasOtherUser: row.userId !== locked.user_id,
  };
  return { _tag: "Known", device, secret, locked };
};

/**
 * The events of a stored registration: a new device, or that a known one wants messages again, or no more
 * (contract Q2). An event about a device has no token.
 */
const eventsOf = (
  step: Exclude<Step, { readonly _tag: "Refused" }>,
  device: Device,
  heard: ReadonlyArray<string>,
): ReadonlyArray<EventType> => {
  if (step._tag === "New") return hears(heard, "device.registered") ? ["device.registered"] : [];
  const { subscribed, unregistered } = step.locked;
  return [
    ...(unregistered ? (["device.registered"] as const) : []),
    ...(device.subscribed === subscribed
      ? []
      : ([device.subscribed ? "device.subscribed" : "device.unsubscribed"] as const)),
  ];
};

const rowOf = (installationId: string, draft: RegistrationDraft, now: number): RegistrationRow => ({
  installationId,
  platform: draft.platform,
  ...storedAddress(draft.push ?? null),
  attributes: mergedAttributes({}, draft.attributes ?? {}),
  locale: draft.locale ?? null,
  timezone: draft.timezone ?? null,
  appVersion: draft.app_version ?? null,
  userId: draft.user_id ?? null,
  subscribed: draft.subscribed ?? null,
  now,
});

/** Registers the installations of apps. */
export class Registrations extends Context.Service<Registrations>()(
  "waypost/devices/registration/Registrations",
  {
    make: Effect.gen(function* () {
      const { allowPrivateAddresses } = yield* Settings;
      const database = yield* Database;
      const repository = yield* RegistrationsSql;
      const outbox = yield* Outbox;
      const userSecrets = yield* UserSecrets;

      /**
       * Stores registrations of one environment in one transaction, each installation once. Without `waits`
       * those that another transaction holds are left out.
       */
      const store = Effect.fnUntraced(function* (
        tenant: Tenant,
        requests: ReadonlyArray<RegistrationRequest>,
        waits: boolean,
      ) {
        const installations = requests.map(({ row }) => row.installationId);
        const locked = yield* repository.lock(tenant, installations, waits);
        const byOrd = new Map(locked.map((each) => [each.ord, each]));
        const steps = requests.map((request, index) => stepOf(request, byOrd.get(index + 1)));
        const added = steps.flatMap((step) => (step._tag === "New" ? [step.device] : []));
        const known = steps.flatMap((step) => (step._tag === "Known" ? [step.device] : []));
        const [inserted, replaced] = yield* Effect.all(
          [
            added.length === 0 ? Effect.succeed([]) : repository.insert(tenant, added),
            known.length === 0 ? Effect.succeed([]) : repository.replace(tenant, known),
          ],
          { concurrency: "unbounded" },
        );
        const devices = new Map(
          [...inserted, ...replaced].map(({ key, webhook_events = [], ...shown }) => [
            shown.installation_id,
            { key, heard: webhook_events, data: shown },
          ]),
        );
        const events: Array<OutgoingEvent> = [];
        const outcomes = steps.map((step): Outcome => {
          if (step._tag === "Refused") return "refused";
          const { row } = step.device;
          const device = devices.get(row.installationId);
          if (device === undefined) return null;
          const { data, heard, key } = device;
          for (const type of eventsOf(step, data, heard)) {
            const { environment, workspaceId } = tenant;
            events.push({ workspaceId, environment, type, at: row.now, data });
          }
          const token = step.secret && deviceToken({ ...tenant, deviceKey: key }, step.secret);
          return {
            isNew: step._tag === "New" || step.locked.unregistered,
            registration: { ...data, ...(token && { device_token: token }) },
          };
        });
        yield* pipelined(outbox.record(events));
        return outcomes;
      });

      const storeAlone = (request: RegistrationRequest): Effect.Effect<Outcome> =>
        Effect.map(
          database.atomically(store(request.tenant, [request], true)),
          ([outcome]) => outcome ?? null,
        );

      // The number of the next device is a lock on its environment until the commit is on disk: one
      // transaction for all that wait for it.
      const storeInBatch = yield* batchedByKey({
        maxBatch,
        keyOf: ({ tenant }: RegistrationRequest) => `${tenant.workspaceId}/${tenant.environment}`,
        run: Effect.fnUntraced(function* (requests: ReadonlyArray<RegistrationRequest>) {
          const firsts = new Map<string, RegistrationRequest>();
          for (const request of requests) {
            if (!firsts.has(request.row.installationId)) firsts.set(request.row.installationId, request);
          }
          const batch = [...firsts.values()];
          const [{ tenant }] = batch as [RegistrationRequest];
          const outcomes = yield* Effect.catchCause(
            database.atomically(store(tenant, batch, false)),
            // A request that fails must not fail the others, so each is stored by itself.
            (cause) =>
              Cause.hasInterrupts(cause) || Database.isUnavailable(cause)
                ? Effect.failCause(cause)
                : Effect.succeed([]),
          );
          const byRequest = new Map(batch.map((request, index) => [request, outcomes[index] ?? null]));
          return requests.map((request) => byRequest.get(request) ?? null);
        }),
      });

      return {
        /**
         * Registers an installation, replacing an earlier registration as a whole. A token that has not been
         * used yet is replaced, so that a lost response locks nobody out; one in use must be `presented`.
         * Concurrent registrations of an environment are stored as one batch. One whose installation another
         * transaction holds is stored by itself, so that no other one waits for it.
         * @throws 403, 422
         */
        register: Effect.fn("Registrations.register")(function* (
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
          checkEndpoint(fields.push, problems, allowPrivateAddresses);
          const draft = yield* body.complete;
          yield* userSecrets.check(tenant, draft);
          const now = yield* Clock.currentTimeMillis;
          const request = { tenant, presented, row: rowOf(installation, draft, now) };
          // If a concurrent registration of the installation came first, this one registers it again.
          const outcome =
            (yield* storeInBatch(request)) ?? (yield* storeAlone(request)) ?? (yield* storeAlone(request));
          if (outcome === null) return yield* Effect.die(new Error("A registration found no device"));
          return outcome === "refused" ? yield* tokenRequired : outcome;
        }),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(Registrations, Registrations.make).pipe(
    Layer.provide(RegistrationsSql.layer),
  );
}
