import type { DueDelivery } from "./Delivery.ts";

const minuteMillis = 60_000;

/**
 * Since when a message of the campaign at the same location holds back another one, in epoch milliseconds;
 * null without a cooldown. A message that is exactly so old does not (contract P4).
 */
export const cooldownStart = (minutes: number | null, now: number): number | null =>
  minutes === null ? null : now - minutes * minuteMillis;

/** When the cooldown that a message begins at an instant is over, in epoch milliseconds. */
export const cooldownEnd = (began: number, minutes: number): number => began + minutes * minuteMillis;

/** The name of the cooldown that a delivery begins; null for a campaign without one. */
export const cooldownName = ({
  campaignKey,
  cooldownSince,
  deviceKey,
  environment,
  locationKey,
  sharedBy,
  workspaceId,
}: DueDelivery): string | null =>
  cooldownSince === null
    ? null
    : [workspaceId, environment, sharedBy ?? `device ${deviceKey}`, campaignKey, locationKey].join("/");

/**
 * Divides deliveries into those to create now and those to decide on after them: of several with the same
 * cooldown only the first is created at a time, so that the others find it stored (contract X29).
 */
export const firstOfCooldowns = <Row extends DueDelivery>(
  rows: ReadonlyArray<Row>,
): readonly [now: ReadonlyArray<Row>, later: ReadonlyArray<Row>] => {
  const seen = new Set<string>();
  const now: Array<Row> = [];
  const later: Array<Row> = [];
  for (const row of rows) {
    const name = cooldownName(row);
    (name === null || !seen.has(name) ? now : later).push(row);
    if (name !== null) seen.add(name);
  }
  return [now, later];
};
