import { Context, Effect, Layer, Redacted } from "effect";
import { DataDirectory } from "../../database/DataDirectory.ts";
import { countedIds } from "../../wire/EncryptedIds.ts";
import { DeviceKey } from "../../wire/Ids.ts";

/** The key of a delivery: its source (an event or a send) and its device. */
export interface DeliveryKey {
  readonly sourceId: bigint;
  readonly deviceKey: DeviceKey;
}

/** The message ids of an installation with this secret key: the encrypted keys of their deliveries. */
export const messageIds = (secretKey: string): MessageIds["Service"] => {
  const ids = countedIds(secretKey, "waypost message ids");
  const idsOf = (keys: ReadonlyArray<DeliveryKey>) =>
    ids.idsOf(keys.map(({ deviceKey, sourceId }) => ({ count: sourceId, part: deviceKey })));
  return {
    idOf: (key) => idsOf([key])[0] ?? "",
    idsOf,
    keyOf: (id) => {
      const numbers = ids.numbersOf(id);
      return numbers === null ? null : { sourceId: numbers.count, deviceKey: DeviceKey(numbers.part) };
    },
  };
};

/**
 * The id of a message by the key of its delivery, and back. All processes of a database make the same ids.
 */
export class MessageIds extends Context.Service<
  MessageIds,
  {
    /** The id. Source ids must be below 2^60. */
    readonly idOf: (key: DeliveryKey) => string;
    /** The ids of many, in order, which costs much less for each. */
    readonly idsOf: (keys: ReadonlyArray<DeliveryKey>) => ReadonlyArray<string>;
    /** The delivery key in an id, in any letter case; null for an id that this installation did not make. */
    readonly keyOf: (id: string) => DeliveryKey | null;
  }
>()("waypost/sending/MessageIds") {
  static readonly layer = Layer.effect(
    MessageIds,
    Effect.map(DataDirectory, ({ secretKey }) => messageIds(Redacted.value(secretKey))),
  );
}
