import { Clock, Context, Effect, Layer, Stream, Struct } from "effect";
import { Activity } from "../activity/Activity.ts";
import { Database } from "../database/Database.ts";
import { LongReads } from "../database/LongReads.ts";
import { csvLines } from "../http/csv/Csv.ts";
import { type CsvFile, csvName, todayOf } from "../http/csv/CsvFile.ts";
import { NotFound, type ServiceUnavailable } from "../wire/ApiError.ts";
import { type DeviceKey, isUuid } from "../wire/Ids.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { Device } from "./Device.ts";
import { type DeviceFilters, RegisteredDevicesSql } from "./RegisteredDevicesSql.ts";

/** The registered devices of an environment, as the platform API and the operator see them (contract S1). */
export class RegisteredDevices extends Context.Service<
  RegisteredDevices,
  {
    /** Registered devices, newest first. @throws 503 */
    readonly page: (
      tenant: Tenant,
      position: PagePosition,
      filters: DeviceFilters,
    ) => Effect.Effect<ReadonlyArray<Device>, ServiceUnavailable>;
    /** All of them as CSV, in the order of the pages. */
    readonly file: (tenant: Tenant, filters: DeviceFilters) => Effect.Effect<CsvFile>;
    /** One registered device. @throws 404 */
    readonly find: (tenant: Tenant, id: string) => Effect.Effect<Device, NotFound>;
    /** One registered device with its key. @throws 404 */
    readonly findWithKey: (
      tenant: Tenant,
      id: string,
    ) => Effect.Effect<Device & { readonly key: DeviceKey }, NotFound>;
    /** The push address of a registered device; null for an unknown device. */
    readonly pushAddress: RegisteredDevicesSql["Service"]["pushAddress"];
    /** Approves a test device, or withdraws the approval. @throws 404 */
    readonly setApproved: (tenant: Tenant, id: string, approved: boolean) => Effect.Effect<Device, NotFound>;
  }
>()("waypost/devices/RegisteredDevices") {
  static readonly layer = Layer.effect(
    RegisteredDevices,
    Effect.gen(function* () {
      const database = yield* Database;
      const repository = yield* RegisteredDevicesSql;
      const activity = yield* Activity;
      const longReads = yield* LongReads;

      const findRow = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
        const device = isUuid(id) ? yield* repository.find(tenant, id) : null;
        return device ?? (yield* NotFound.resource("device"));
      });

      return RegisteredDevices.of({
        page: (tenant, position, filters) => {
          const page = repository.page(tenant, position, filters);
          const { approved, platform, search } = filters;
          // A filter without an index of its own may pass over all devices.
          const isLong = (approved ?? platform ?? search ?? null) !== null;
          return isLong ? longReads.run(tenant.workspaceId, page) : page;
        },

        file: Effect.fn("RegisteredDevices.file")(function* (tenant, filters) {
          const columns = Object.keys(Device.fields);
          return {
            name: csvName("devices", tenant, todayOf(tenant, yield* Clock.currentTimeMillis)),
            heading: columns,
            records: Effect.map(
              repository.all(tenant, filters),
              Stream.map((rows) => csvLines(columns, rows)),
            ),
          };
        }),

        find: (tenant, id) => Effect.map(findRow(tenant, id), Struct.omit(["key"])),

        findWithKey: findRow,

        pushAddress: repository.pushAddress,

        setApproved: Effect.fn("RegisteredDevices.setApproved")(function* (tenant, id, approved) {
          const before = isUuid(id) ? yield* repository.lockApproval(tenant, id) : null;
          const device = before === null ? null : yield* repository.setApproved(tenant, id, approved);
          if (device === null) return yield* NotFound.resource("device");
          yield* activity.record(tenant, {
            action: "update",
            resource: { type: "device", id: device.id, name: device.installation_id },
            before: { approved: before },
            after: { approved },
          });
          return device;
        }, database.atomically),
      });
    }),
  ).pipe(Layer.provide(RegisteredDevicesSql.layer));
}
