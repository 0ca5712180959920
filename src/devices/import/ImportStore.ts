import { Clock, Context, Effect, Layer } from "effect";
import { randomBytes } from "node:crypto";
import { Database } from "../../database/Database.ts";
import { hears } from "../../outbox/EventType.ts";
import { Outbox } from "../../outbox/Outbox.ts";
import { idAt } from "../../wire/Ids.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import {
  type ChangedDevice,
  DeviceImportsSql,
  type KnownDevice,
  type NewDevice,
} from "./DeviceImportsSql.ts";
import type { ImportedDevice } from "./ImportedDevice.ts";

/** The people of devices that get one, or another one. */
const usersToSet = (
  devices: ReadonlyArray<ImportedDevice>,
  known: ReadonlyMap<string, KnownDevice>,
): ReadonlySet<string> => {
  const users = new Set<string>();
  for (const { installationId, userId } of devices) {
    if (typeof userId !== "string" || known.get(installationId)?.user_id === userId) continue;
    users.add(userId);
  }
  return users;
};

/** A device that was stored. */
export interface StoredDevice {
  readonly id: string;
  readonly isNew: boolean;
}

/** Stores batches of imported devices, each in a transaction. */
export class ImportStore extends Context.Service<ImportStore>()("waypost/devices/import/ImportStore", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* DeviceImportsSql;
    const outbox = yield* Outbox;

    const recordRegistered = Effect.fnUntraced(function* (
      tenant: Tenant,
      ids: ReadonlyArray<string>,
      at: number,
    ) {
      if (ids.length === 0 || !hears(yield* repository.webhookEvents(tenant), "device.registered")) return;
      const { environment, workspaceId } = tenant;
      const type = "device.registered" as const;
      const devices = yield* repository.shown(tenant, ids);
      yield* outbox.record(devices.map((data) => ({ workspaceId, environment, type, at, data })));
    });

    const keysOfUsers = Effect.fnUntraced(function* (tenant: Tenant, userIds: ReadonlySet<string>) {
      const keys = new Map<string, number>();
      let left = [...userIds];
      // A person that another transaction adds is known the second time.
      while (left.length > 0) {
        for (const { key, user_id } of yield* repository.userKeys(tenant, left)) keys.set(user_id, key);
        left = left.filter((userId) => !keys.has(userId));
      }
      return keys;
    });

    return {
      /** Stores the devices of a batch, and gives their ids and which are new. */
      store: Effect.fnUntraced(function* (tenant: Tenant, devices: ReadonlyMap<string, ImportedDevice>) {
        const now = yield* Clock.currentTimeMillis;
        const stored = new Map<string, StoredDevice>();
        let left = [...devices.values()];
        // An installation that an app registers in between is known the second time.
        while (left.length > 0) {
          const known = new Map(
            (yield* repository.lockKnown(
              tenant,
              left.map(({ installationId }) => installationId),
            )).map((each) => [each.installation_id, each]),
          );
          const keys = yield* keysOfUsers(tenant, usersToSet(left, known));
          const digests = randomBytes(32 * left.length);
          const changed: Array<ChangedDevice> = [];
          const created: Array<NewDevice> = [];
          for (const [index, given] of left.entries()) {
            const digest = digests.subarray(32 * index, 32 * (index + 1));
            const userKey = keys.get(given.userId ?? "") ?? null;
            const found = known.get(given.installationId);
            if (found !== undefined) {
              const hasUser = given.userId !== undefined && given.userId !== found.user_id;
              const { key, unregistered } = found;
              changed.push({ given, key, digest, userKey, hasUser, unregistered });
            } else if (given.platform !== undefined) {
              created.push({ given, id: idAt(now), digest, userKey });
            }
          }
          if (changed.length > 0) yield* repository.update(tenant, changed, now);
          const returned = [...known.values()].filter(({ unregistered }) => unregistered);
          yield* recordRegistered(
            tenant,
            returned.map(({ id }) => id),
            now,
          );
          for (const { id, installation_id } of known.values())
            stored.set(installation_id, { id, isNew: false });
          if (created.length === 0) break;
          const inserted = yield* repository.insert(tenant, created, now);
          for (const { id, installation_id } of inserted) stored.set(installation_id, { id, isNew: true });
          yield* recordRegistered(
            tenant,
            inserted.map(({ id }) => id),
            now,
          );
          left = created
            .map(({ given }) => given)
            .filter(({ installationId }) => !stored.has(installationId));
        }
        return stored;
      }, database.atomically),
    };
  }),
}) {
  static readonly layer = Layer.effect(ImportStore, ImportStore.make).pipe(
    Layer.provide(DeviceImportsSql.layer),
  );
}
