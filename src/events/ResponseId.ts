import { Context, Effect, Layer, Redacted } from "effect";
import { DataDirectory } from "../database/DataDirectory.ts";
import { tripleIds } from "../wire/EncryptedIds.ts";
import { CampaignKey, DeviceKey, NotificationKey } from "../wire/Ids.ts";

/** The key of a response: a device's answers to a survey on a campaign. */
export interface ResponseKey {
  readonly notificationKey: NotificationKey;
  readonly campaignKey: CampaignKey;
  readonly deviceKey: DeviceKey;
}

/** The response ids of an installation with this secret key: the encrypted keys of the responses. */
export const responseIds = (secretKey: string): ResponseIds["Service"] => {
  const ids = tripleIds(secretKey, "waypost response ids");
  return {
    idOf: ({ campaignKey, deviceKey, notificationKey }) =>
      ids.idsOf([[notificationKey, campaignKey, deviceKey]])[0] ?? "",
    keyOf: (id) => {
      const numbers = ids.numbersOf(id);
      if (numbers === null) return null;
      const [notificationKey, campaignKey, deviceKey] = numbers;
      return {
        notificationKey: NotificationKey(notificationKey),
        campaignKey: CampaignKey(campaignKey),
        deviceKey: DeviceKey(deviceKey),
      };
    },
  };
};

/**
 * The id of a response by its key, and back; a replaced answer keeps it. All processes of a database make the
 * same ids. They are encrypted, because keys of notifications and campaigns count over all workspaces.
 */
export class ResponseIds extends Context.Service<
  ResponseIds,
  {
    readonly idOf: (key: ResponseKey) => string;
    /** The key in an id, in any letter case; null for an id that this installation did not make. */
    readonly keyOf: (id: string) => ResponseKey | null;
  }
>()("waypost/events/ResponseIds") {
  static readonly layer = Layer.effect(
    ResponseIds,
    Effect.map(DataDirectory, ({ secretKey }) => responseIds(Redacted.value(secretKey))),
  );
}
