/** The key of a response: a device's answers to a survey on a campaign. */
interface ResponseKey {
  readonly notificationKey: number;
  readonly campaignKey: number;
  readonly deviceKey: number;
}

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
