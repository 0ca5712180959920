import { Context, Effect, Layer } from "effect";
import { DeviceTally } from "./DeviceSet.ts";
import { pauses } from "./Pauses.ts";
import type { BuildSpan } from "./RollUpKeys.ts";
import type { DeliveryAddition, EventAddition, RolledTenant } from "./RollUpRows.ts";
import { RollUpSizes } from "./RollUpSizes.ts";
import { RollUpsSql } from "./RollUpsSql.ts";

/** Adds to rows of roll-ups, some at a time, their devices united with those that the rows have. */
export class RollUpWriter extends Context.Service<RollUpWriter>()("waypost/reports/RollUpWriter", {
  make: Effect.gen(function* () {
    const repository = yield* RollUpsSql;

    const add = Effect.fnUntraced(function* <Addition extends BuildSpan & { readonly devices: Uint8Array }>(
      additions: ReadonlyArray<Addition>,
      isNew: (span: BuildSpan) => boolean,
      { held, insert, merge, united }: Table<Addition>,
    ) {
      const sizes = yield* RollUpSizes;
      const tally = new DeviceTally();
      const pause = pauses();
      for (const some of parts(
        additions.filter((each) => isNew(each)),
        sizes,
      )) {
        yield* insert(some);
        yield* pause;
      }
      for (const some of parts(
        additions.filter((each) => !isNew(each)),
        sizes,
      )) {
        const sets = new Map<number, Uint8Array>();
        for (const { devices, ord } of yield* held(some)) sets.set(ord, devices);
        const merged: Array<Addition> = [];
        for (const [place, each] of some.entries()) {
          const set = sets.get(place + 1);
          if (set === undefined) merged.push(each);
          else {
            tally.clear();
            tally.addSets(set);
            tally.addSets(each.devices);
            merged.push(united(each, tally));
          }
          yield* pause;
        }
        yield* merge(merged);
      }
    });

    return {
      /** Adds deliveries to rows. Where `isNew` says that there is no row, none is looked for. */
      addDeliveries: (
        tenant: RolledTenant,
        additions: ReadonlyArray<DeliveryAddition>,
        isNew: (span: BuildSpan) => boolean = () => false,
      ) =>
        add(additions, isNew, {
          held: (some) => repository.deliveryDevices(tenant, some),
          insert: (some) => repository.insertDeliveries(tenant, some),
          merge: (some) => repository.addDeliveries(tenant, some),
          united: (each, tally) => ({ ...each, reached: tally.count, devices: tally.toSet() }),
        }),

      /** Adds events to rows. Where `isNew` says that there is no row, none is looked for. */
      addEvents: (
        tenant: RolledTenant,
        additions: ReadonlyArray<EventAddition>,
        isNew: (span: BuildSpan) => boolean = () => false,
      ) =>
        add(additions, isNew, {
          held: (some) => repository.eventDevices(tenant, some),
          insert: (some) => repository.insertEvents(tenant, some),
          merge: (some) => repository.addEvents(tenant, some),
          united: (each, tally) => ({ ...each, devices: tally.toSet() }),
        }),
    };
  }),
}) {
  static readonly layer = Layer.effect(RollUpWriter, RollUpWriter.make).pipe(Layer.provide(RollUpsSql.layer));
}

interface Table<Addition> {
  readonly held: (
    some: ReadonlyArray<Addition>,
  ) => Effect.Effect<ReadonlyArray<{ readonly ord: number; readonly devices: Uint8Array }>>;
  readonly insert: (some: ReadonlyArray<Addition>) => Effect.Effect<unknown>;
  readonly merge: (some: ReadonlyArray<Addition>) => Effect.Effect<unknown>;
  readonly united: (each: Addition, devices: DeviceTally) => Addition;
}

/** The additions in parts of so many rows, or so many bytes. */
function* parts<Addition extends { readonly devices: Uint8Array }>(
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
