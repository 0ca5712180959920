/** What a message id stands for: the number of what set the delivery off, and the device's number. */
export interface DeliveryKey {
  readonly sourceId: bigint;
  readonly deviceKey: number;
}

const shape = /^([0-9a-f]{8})-([0-9a-f]{4})-8([0-9a-f]{3})-8000-0000([0-9a-f]{8})$/i;
const largestDevice = 2_147_483_647;

/**
 * The id of a delivery's message: a UUID of version 8 (RFC 9562) that holds the delivery's own key, so that no id has to be
 * stored or indexed. Good for origins below 2^60.
 */
export const messageId = (sourceId: bigint, deviceKey: number): string => {
  const number = sourceId.toString(16).padStart(15, "0");
  const device = deviceKey.toString(16).padStart(8, "0");
  return `${number.slice(0, 8)}-${number.slice(8, 12)}-8${number.slice(12)}-8000-0000${device}`;
};

/** The key that an id holds; null for an id of something else. */
export const deliveryKey = (id: string): DeliveryKey | null => {
  const [, high, middle, low, device] = shape.exec(id) ?? [];
  if (high === undefined || middle === undefined || low === undefined || device === undefined) return null;
  const deviceKey = Number.parseInt(device, 16);
  return deviceKey > largestDevice ? null : { sourceId: BigInt(`0x${high}${middle}${low}`), deviceKey };
};
