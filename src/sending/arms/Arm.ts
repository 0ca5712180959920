/** The arithmetic of arms (contract U3): it uses ids alone, so that anybody can repeat it. */
import { hash } from "node:crypto";
import { control, type Variant } from "../../notifications/variants/Variant.ts";

/** The shares of the variants of a notification. */
export type Split = ReadonlyArray<Pick<Variant, "key" | "weight">>;

/** The unit of a device: its person, else the device itself. */
export const unitOf = (deviceId: string, userId: string | null): string =>
  userId === null ? `device:${deviceId}` : `user:${userId}`;

/** The key of a unit in `enrolment`: that of the device, or minus that of the person. */
export const unitKeyOf = (deviceKey: number, userKey: number | null): number =>
  userKey === null ? deviceKey : -userKey;

/** The text before the unit in what is hashed for the holdout of a campaign. */
export const holdoutText = (campaignId: string): string => `holdout:${campaignId}:`;
/** The text before the unit in what is hashed for the variant of a notification. */
export const variantText = (notificationId: string): string => `variant:${notificationId}:`;

/** The first 8 bytes, big-endian, of the SHA-256 of a text: `h` of the contract times 2^64. */
const numberOf = (text: string): bigint => hash("sha256", text, "buffer").readBigUInt64BE();

/** The least whole number such that whatever is less, over 2^64, is less than `parts / whole`. */
const thresholdOf = (parts: number, whole: number): bigint => {
  const [numerator, denominator] = [BigInt(parts) << 64n, BigInt(whole)];
  return (numerator + denominator - 1n) / denominator;
};

/** The threshold of a holdout in percent, which has at most two decimals; null for none. */
export const holdoutThreshold = (percent: number): bigint | null =>
  percent === 0 ? null : thresholdOf(Math.round(percent * 100), 10_000);

/** The thresholds of variants, in their order: a unit has the first whose threshold is above its number. */
export const variantThresholds = (split: Split): ReadonlyArray<bigint> => {
  let sum = 0;
  return split.map(({ weight }) => thresholdOf((sum += weight), 100));
};

const isBelow = (prefix: string, unit: string, threshold: bigint | null): boolean =>
  threshold !== null && numberOf(prefix + unit) < threshold;

/** Whether a unit is held out of a campaign. */
export const isHeldOut = (campaignId: string, percent: number, unit: string): boolean =>
  isBelow(holdoutText(campaignId), unit, holdoutThreshold(percent));

/** The variant of a notification for a unit, `control` included; null without variants. */
export const variantOf = (notificationId: string, split: Split, unit: string): string | null => {
  if (split.length === 0) return null;
  const number = numberOf(variantText(notificationId) + unit);
  const index = variantThresholds(split).findIndex((threshold) => number < threshold);
  return split[index]?.key ?? control;
};
