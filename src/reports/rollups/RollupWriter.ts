import { Context, Effect, Layer } from "effect";
import { timeSlices } from "../../workers/TimeSlices.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import { DeviceTally } from "./encoding/DeviceTally.ts";
import { uniteBlocks } from "./encoding/LocationBlock.ts";
import { RollupRowsSql } from "./RollupRowsSql.ts";
import { RollupSizes } from "./RollupSizes.ts";
import type { DeliveryAddition, EventAddition } from "./RollupTypes.ts";

/** Adds to rows of rollups, in batches; the devices of a row are united with those that are added. */
export class RollupWriter extends Context.Service<RollupWriter>()("waypost/reports/rollups/RollupWriter", {
  make: Effect.gen(function* () {
    const rows = yield* RollupRowsSql;

    const add = Effect.fnUntraced(function* <Addition extends Sets, Row extends Sets>(
      additions: ReadonlyArray<Addition>,
      { existing, merge, united }: Table<Addition, Row>,
    ) {
      const tally = new DeviceTally();
      const yieldIfLong = timeSlices();
      for (const batch of batches(additions, yield* RollupSizes)) {
        const byOrd = new Map((yield* existing(batch)).map((row) => [row.ord, row]));
        const merged: Array<Addition> = [];
        for (const [index, addition] of batch.entries()) {
          const row = byOrd.get(index + 1);
          merged.push(row === undefined ? addition : united(addition, row, tally));
          yield* yieldIfLong;
        }
        yield* merge(merged);
      }
    });

    return {
      addDeliveries: (tenant: TenantKey, additions: ReadonlyArray<DeliveryAddition>) =>
        add(additions, {
          existing: (batch) => rows.deliveryDevices(tenant, batch),
          merge: (batch) => rows.addDeliveries(tenant, batch),
          united: (addition, row, tally) => {
            tally.clear();
            tally.addSets(row.devices);
            tally.addSets(addition.devices);
            return { ...addition, reached: tally.count, devices: tally.toSet() };
          },
        }),

      addEvents: (tenant: TenantKey, additions: ReadonlyArray<EventAddition>) =>
        add(additions, {
          existing: (batch) => rows.eventBlocks(tenant, batch),
          merge: (batch) => rows.replaceEvents(tenant, batch),
          united: (addition, row, tally) => ({ ...addition, ...uniteBlocks([row, addition], tally) }),
        }),
    };
  }),
}) {
  static readonly layer = Layer.effect(RollupWriter, RollupWriter.make).pipe(
    Layer.provide(RollupRowsSql.layer),
  );
}

interface Sets {
  readonly devices: Uint8Array;
}

/** How a table of rollups is read and written; `united` adds an addition to the row that exists. */
interface Table<Addition, Row> {
  readonly existing: (
    batch: ReadonlyArray<Addition>,
  ) => Effect.Effect<ReadonlyArray<Row & { readonly ord: number }>>;
  readonly merge: (batch: ReadonlyArray<Addition>) => Effect.Effect<unknown>;
  readonly united: (addition: Addition, row: Row, tally: DeviceTally) => Addition;
}

/** The additions in batches of so many rows, or so many bytes. */
function* batches<Addition extends Sets>(
  additions: ReadonlyArray<Addition>,
  sizes: { readonly rows: number; readonly bytes: number },
): Generator<ReadonlyArray<Addition>> {
  let batch: Array<Addition> = [];
  let bytes = 0;
  for (const addition of additions) {
    batch.push(addition);
    bytes += addition.devices.length;
    if (batch.length < sizes.rows && bytes < sizes.bytes) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}
