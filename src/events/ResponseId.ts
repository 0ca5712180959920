const hex = (key: number): string => key.toString(16).padStart(8, "0");

/**
 * The id of a device's response to a survey on a campaign: a UUID of version 8 (RFC 9562) that holds the three
 * keys, so that no id has to be stored. A replaced answer keeps it.
 */
export const responseId = (notificationKey: number, campaignKey: number, deviceKey: number): string => {
  const [notification, campaign, device] = [hex(notificationKey), hex(campaignKey), hex(deviceKey)];
  return `${notification}-${campaign.slice(0, 4)}-8${campaign.slice(4, 7)}-8${campaign.slice(7)}00-0000${device}`;
};
