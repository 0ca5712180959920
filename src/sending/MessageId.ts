/** The key of a delivery: its source (an event or a send) and its device. */
export interface DeliveryKey {
  readonly sourceId: bigint;
  readonly deviceKey: number;
}

const pattern = /^([0-9a-f]{8})-([0-9a-f]{4})-8([0-9a-f]{3})-8000-0000([0-9a-f]{8})$/i;
const maxDeviceKey = 2_147_483_647;

/**
 * The id of a delivery's message: a UUID of version 8 (RFC 9562) that holds the delivery's key, so that no id
 * has to be stored or indexed. Source ids must be below 2^60.
 */
export const messageId = (sourceId: bigint, deviceKey: number): string => {
  const source = sourceId.toString(16).padStart(15, "0");
  const device = deviceKey.toString(16).padStart(8, "0");
  return `${source.slice(0, 8)}-${source.slice(8, 12)}-8${source.slice(12)}-8000-0000${device}`;
};

/** The delivery key in a message id; null for any other id. */
export const deliveryKey = (id: string): DeliveryKey | null => {
  const [, high, middle, low, device] = pattern.exec(id) ?? [];
  if (high === undefined || middle === undefined || low === undefined || device === undefined) return null;
  const deviceKey = Number.parseInt(device, 16);
  return deviceKey > maxDeviceKey ? null : { sourceId: BigInt(`0x${high}${middle}${low}`), deviceKey };
};
