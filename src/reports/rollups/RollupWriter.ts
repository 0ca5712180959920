import { Context, Effect, Layer } from "effect";
import { DeviceTally } from "./encoding/DeviceSet.ts";
import { timeSlices } from "../../workers/TimeSlices.ts";
import type { RollupSpan } from "./RollupKeys.ts";
import type { DeliveryAddition, EventAddition, RollupTenant } from "./RollupTypes.ts";
import { RollupSizes } from "./RollupLimits.ts";
import { RollupsSql } from "./RollupsSql.ts";
import { uniteVisits } from "./encoding/LocationBlock.ts";

/** Adds to rows of rollups, some at a time, their devices united with those that the rows have. */
export class RollupWriter extends Context.Service<RollupWriter>()("waypost/reports/RollupWriter", {
  make: Effect.gen(function* () {
    const repository = yield* RollupsSql;

    const add = Effect.fnUntraced(function* <Addition extends Sets & RollupSpan, Held extends Sets>(
      additions: ReadonlyArray<Addition>,
      isNew: (span: RollupSpan) => boolean,
      { held, insert, merge, united }: Table<Addition, Held>,
    ) {
      const sizes = yield* RollupSizes;
      const tally = new DeviceTally();
      const yieldIfLong = timeSlices();
      for (const some of parts(
        additions.filter((each) => isNew(each)),
        sizes,
      )) {
        yield* insert(some);
        yield* yieldIfLong;
      }
      for (const some of parts(
        additions.filter((each) => !isNew(each)),
        sizes,
      )) {
        const rows = new Map<number, Held>();
        for (const row of yield* held(some)) rows.set(row.ord, row);
        const merged: Array<Addition> = [];
        for (const [place, each] of some.entries()) {
          const row = rows.get(place + 1);
          merged.push(row === undefined ? each : united(each, row, tally));
          yield* yieldIfLong;
        }
        yield* merge(merged);
      }
    });

    return {
      /** Adds deliveries to rows. Where `isNew` says that there is no row, none is looked for. */
      addDeliveries: (
        tenant: RollupTenant,
        additions: ReadonlyArray<DeliveryAddition>,
        isNew: (span: RollupSpan) => boolean = () => false,
      ) =>
        add(additions, isNew, {
          held: (some) => repository.deliveryDevices(tenant, some),
          insert: (some) => repository.insertDeliveries(tenant, some),
          merge: (some) => repository.addDeliveries(tenant, some),
          united: (each, row, tally) => {
            tally.clear();
            tally.addSets(row.devices);
            tally.addSets(each.devices);
            return { ...each, reached: tally.count, devices: tally.toSet() };
          },
        }),

      /** Adds events to rows. Where `isNew` says that there is no row, none is looked for. */
      addEvents: (
        tenant: RollupTenant,
        additions: ReadonlyArray<EventAddition>,
        isNew: (span: RollupSpan) => boolean = () => false,
      ) =>
        add(additions, isNew, {
          held: (some) => repository.eventBlocks(tenant, some),
          insert: (some) => repository.insertEvents(tenant, some),
          merge: (some) => repository.putEvents(tenant, some),
          united: (each, row, tally) => ({ ...each, ...uniteVisits([row, each], tally) }),
        }),
    };
  }),
}) {
  static readonly layer = Layer.effect(RollupWriter, RollupWriter.make).pipe(Layer.provide(RollupsSql.layer));
}

interface Sets {
  readonly devices: Uint8Array;
}

interface Table<Addition, Held> {
  readonly held: (
    some: ReadonlyArray<Addition>,
  ) => Effect.Effect<ReadonlyArray<Held & { readonly ord: number }>>;
  readonly insert: (some: ReadonlyArray<Addition>) => Effect.Effect<unknown>;
  readonly merge: (some: ReadonlyArray<Addition>) => Effect.Effect<unknown>;
  readonly united: (each: Addition, row: Held, tally: DeviceTally) => Addition;
}

/** The additions in parts of so many rows, or so many bytes. */
function* parts<Addition extends Sets>(
  additions: ReadonlyArray<Addition>,
  sizes: { readonly rows: number; readonly bytes: number },
): Generator<ReadonlyArray<Addition>> {
  let part: Array<Addition> = [];
  let bytes = 0;
  for (const each of additions) {
    part.push(each);
    bytes += each.devices.length;
    if (part.length < sizes.rows && bytes < sizes.bytes) continue;
    yield part;
    part = [];
    bytes = 0;
  }
  if (part.length > 0) yield part;
}
