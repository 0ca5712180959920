import { Clock, Context, Effect, Layer } from "effect";
import { randomBytes } from "node:crypto";
import { Activity } from "../activity/Activity.ts";
import { Database } from "../database/Database.ts";
import { PushErasure } from "../sending/push/PushErasure.ts";
import { WebhookErasure } from "../webhooks/WebhookErasure.ts";
import { counter } from "../telemetry/KnownSeries.ts";
import { idAt, isUuid, type DeviceKey } from "../wire/Ids.ts";
import { Worker } from "../workers/Worker.ts";
import { workspaceTurns } from "../workers/WorkspaceTurns.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { ErasedRowsSql } from "./ErasedRowsSql.ts";
import { type ErasedOwner, ErasuresSql, type NamedDevice } from "./ErasuresSql.ts";
import { personIn } from "./Person.ts";
import { RuleErasure } from "./RuleErasure.ts";

/** After this time no transaction runs that read a device before it was erased. */
const completedAfter = 30_000;
/** Devices that one transaction erases. */
const pageSize = 200;

const countErased = counter(
  "waypost_erased_devices_total",
  "Devices that were erased, alone or with their person.",
  {},
);

/** Texts that name a device or its person in the JSON of events and responses. */
const textsOf = (deviceIds: ReadonlyArray<string>, userId: string | null): ReadonlyArray<string> =>
  userId === null ? deviceIds : [...deviceIds, `"user_id":${JSON.stringify(userId)}`];

/** Texts of registrations, which errors of pushes can quote. */
const quotedTexts = (devices: ReadonlyArray<NamedDevice>): ReadonlyArray<string> =>
  devices.flatMap(({ texts, user_id }) => (user_id === null ? texts : [...texts, user_id]));

/** Erases people and devices. Every figure of every report stays (contract Q3). */
export class Erasures extends Context.Service<
  Erasures,
  {
    /** Erases the devices of a person, page by page; gives how many. After a failure, run it again. */
    readonly erasePerson: (tenant: Tenant, person: string) => Effect.Effect<{ devices: number }>;
    /** Erases one device; gives how many, 0 for an unknown or erased one. */
    readonly eraseDevice: (tenant: Tenant, device: string) => Effect.Effect<{ devices: number }>;
    /**
     * Completes the erasures that are due; workspaces take turns. Erases what transactions wrote that ran at
     * the same time. Two workers may do the same, which changes nothing.
     */
    readonly complete: Effect.Effect<void>;
  }
>()("waypost/people/Erasures") {
  static readonly layer = Layer.effect(
    Erasures,
    Effect.gen(function* () {
      const database = yield* Database;
      const repository = yield* ErasuresSql;
      const rows = yield* ErasedRowsSql;
      const activity = yield* Activity;
      const pushes = yield* PushErasure;
      const webhooks = yield* WebhookErasure;
      const rules = yield* RuleErasure;

      /** Erases the rows of devices, also those of requests that began before the erasure. */
      const eraseRows = Effect.fnUntraced(function* (
        tenant: TenantKey,
        devices: { readonly keys: ReadonlyArray<DeviceKey>; readonly ids: ReadonlyArray<string> },
        isPerson: boolean,
        quoted: ReadonlyArray<string>,
      ) {
        yield* rows.eraseWords(tenant, devices.keys, quoted);
        yield* rows.erasePositions(tenant, devices.keys, isPerson);
        yield* rows.eraseTexts(tenant, devices.keys);
        yield* rows.eraseActivity(tenant, devices.ids);
      });

      /** Erases what waits to be sent, and copies of what was. */
      const eraseCopies = Effect.fnUntraced(function* (
        tenant: TenantKey,
        deviceKeys: ReadonlyArray<DeviceKey>,
        deviceIds: ReadonlyArray<string>,
        userId: string | null,
      ) {
        const texts = textsOf(deviceIds, userId);
        yield* pushes.drop(tenant, deviceKeys);
        yield* webhooks.erase(tenant, texts);
        yield* rows.eraseResponses(tenant, texts);
      });

      /** Erases a person from what operators wrote. */
      const eraseRules = (tenant: TenantKey, userId: string) =>
        Effect.andThen(rules.erase(tenant, userId), rows.eraseRuleResponses(tenant, userId));

      /** Erases registrations, and begins the erasure of the rows of their devices. */
      const erasePage = Effect.fnUntraced(function* (tenant: TenantKey, owner: ErasedOwner) {
        const now = yield* Clock.currentTimeMillis;
        const userId = "userId" in owner ? owner.userId : null;
        const devices = yield* repository.find(tenant, owner, pageSize, true);
        if (userId !== null) yield* rows.eraseUserEvents(tenant, userId);
        const isNamed = userId !== null && (yield* repository.eraseUser(tenant, userId));
        if (devices.length > 0) {
          const renamed = devices.map((device) => ({ ...device, newId: idAt(now), digest: randomBytes(32) }));
          yield* repository.eraseDevices(tenant, renamed, now);
          yield* repository.begin(tenant, devices, userId, now);
        }
        // A person without a device can have messages and custom events of when they had one.
        if (devices.length > 0 || isNamed) {
          yield* activity.record(tenant, {
            action: "delete",
            resource: { type: userId === null ? "device" : "person", id: null, name: null },
            before: { devices: devices.length },
            after: null,
          });
        }
        return { devices, isNamed };
      }, database.atomically);

      const eraseAll = Effect.fnUntraced(function* (tenant: Tenant, owner: ErasedOwner) {
        let count = 0;
        let isKnown = false;
        let page: ReadonlyArray<NamedDevice>;
        const userId = "userId" in owner ? owner.userId : null;
        // Rows that only the name or an address leads to are erased first: a failure leaves no rest.
        if (userId !== null) {
          yield* rows.eraseUserWords(tenant, userId);
          yield* rows.eraseUserEvents(tenant, userId);
        }
        do {
          const found = yield* repository.find(tenant, owner, pageSize, false);
          yield* rows.eraseWords(
            tenant,
            found.map(({ key }) => key),
            quotedTexts(found),
          );
          const erased = yield* erasePage(tenant, owner);
          page = erased.devices;
          isKnown ||= erased.isNamed || page.length > 0;
          // A person whose devices have become others' can still be named in what waits for webhooks.
          if (page.length === 0 && (userId === null || count > 0)) break;
          const keys = page.map(({ key }) => key);
          const ids = page.map(({ id }) => id);
          yield* eraseRows(tenant, { keys, ids }, userId !== null, quotedTexts(page));
          yield* eraseCopies(tenant, keys, ids, userId);
          count += page.length;
        } while (page.length === pageSize);
        if (userId !== null) yield* eraseRules(tenant, userId);
        if (count > 0) yield* countErased({}, count);
        if (isKnown) {
          yield* Effect.logInfo(
            "userId" in owner ? "The operator has erased a person" : "The operator has erased a device",
          ).pipe(
            Effect.annotateLogs({
              workspace: tenant.workspace.id,
              environment: tenant.environment,
              devices: count,
            }),
          );
        }
        return { devices: count };
      });

      /** Completes the oldest erasures of a workspace; gives how many. */
      const completePage = Effect.fnUntraced(function* (workspaceId: number, limit: number) {
        const before = (yield* Clock.currentTimeMillis) - completedAfter;
        const open = yield* repository.open(workspaceId, before, limit);
        const groups = Map.groupBy(open, ({ environment, isPerson, userId, workspaceId }) =>
          JSON.stringify([workspaceId, environment, isPerson, userId]),
        );
        for (const group of groups.values()) {
          const [first] = group;
          if (first === undefined) continue;
          const keys = group.map(({ deviceKey }) => deviceKey);
          const ids = group.map(({ deviceId }) => deviceId);
          yield* eraseRows(first, { keys, ids }, first.isPerson, []);
          yield* eraseCopies(first, keys, ids, first.userId);
          if (first.userId !== null) yield* eraseRules(first, first.userId);
          yield* repository.end(group);
        }
        return open.length;
      });

      return Erasures.of({
        erasePerson: (tenant, person) => {
          const userId = personIn(person);
          return userId === null ? Effect.succeed({ devices: 0 }) : eraseAll(tenant, { userId });
        },

        eraseDevice: (tenant, device) =>
          isUuid(device) ? eraseAll(tenant, { device }) : Effect.succeed({ devices: 0 }),

        complete: yield* workspaceTurns({
          what: "erasures",
          find: (now) => repository.openWorkspaces(now - completedAfter),
          pageSize: Effect.succeed(pageSize),
          take: (workspaceIds, limit) => Effect.forEach(workspaceIds, (id) => completePage(id, limit)),
        }),
      });
    }),
  ).pipe(
    Layer.provide([
      ErasuresSql.layer,
      ErasedRowsSql.layer,
      PushErasure.layer,
      WebhookErasure.layer,
      RuleErasure.layer,
    ]),
  );
}

/** Completes the erasures that are due. */
export const completeErasures: Effect.Effect<void, never, Erasures> = Effect.flatMap(
  Erasures,
  ({ complete }) => complete,
);

/** The job that completes erasures, within a minute (contract Q3). */
export const erasureCompletion = Layer.effectDiscard(
  Worker.every("erasures", "5 seconds", completeErasures, { isTraced: false }),
);
