/** The key of a response: a device's answers to a survey on a campaign. */
export interface ResponseKey {
  readonly notificationKey: number;
  readonly campaignKey: number;
  readonly deviceKey: number;
}

const pattern = /^([0-9a-f]{8})-([0-9a-f]{4})-8([0-9a-f]{3})-a00([0-9a-f])-0000([0-9a-f]{8})$/i;

const hex = (key: number): string => key.toString(16).padStart(8, "0");

/**
 * The id of a response: a UUID of version 8 (RFC 9562) that holds its key, so that no id has to be stored. A
 * replaced answer keeps it.
 */
export const responseId = ({ campaignKey, deviceKey, notificationKey }: ResponseKey): string => {
  const campaign = hex(campaignKey);
  return (
    `${hex(notificationKey)}-${campaign.slice(0, 4)}-8${campaign.slice(4, 7)}-a00${campaign.slice(7)}-` +
    `0000${hex(deviceKey)}`
  );
};

/** The key in the id of a response; null for any other id. */
export const responseKey = (id: string): ResponseKey | null => {
  const [, notification, high, middle, low, device] = pattern.exec(id) ?? [];
  if (notification === undefined || device === undefined) return null;
  return {
    notificationKey: Number.parseInt(notification, 16),
    campaignKey: Number.parseInt(`${high}${middle}${low}`, 16),
    deviceKey: Number.parseInt(device, 16),
  };
};
