import { timingSafeEqual } from "node:crypto";
import { base62, digest, fromBase62, openCredential, sealCredential } from "../access/Credential.ts";
import { DeviceKey } from "../wire/Ids.ts";
import type { TenantKey } from "../workspaces/Environment.ts";

/** The primary key of a device. The token contains it, so finding the device needs no other index. */
export interface DeviceTokenClaims extends TenantKey {
  readonly deviceKey: DeviceKey;
}

const prefix = "wpd_";
/** Characters of a number; six hold 32 bits and one more. */
const width = 6;
const maxKey = 2_147_483_647;

/** The token of a device: its primary key and a secret, whose digest its row has. */
export const deviceToken = (
  { deviceKey, environment, workspaceId }: DeviceTokenClaims,
  secret: string,
): string => {
  const key = deviceKey * 2 + (environment === "production" ? 1 : 0);
  return sealCredential(prefix, base62(workspaceId, width) + base62(key, width), secret);
};

/** The claims and the secret of a device token; null for a text that is not one. */
export const openDeviceToken = (
  token: string,
): { readonly claims: DeviceTokenClaims; readonly secret: string } | null => {
  const opened = openCredential(prefix, 2 * width, token);
  if (opened === null) return null;
  const workspaceId = fromBase62(opened.locator.slice(0, width));
  const key = fromBase62(opened.locator.slice(width));
  const deviceKey = Math.floor(key / 2);
  if (workspaceId > maxKey || deviceKey > maxKey) return null;
  const environment = key % 2 === 1 ? "production" : "sandbox";
  return { claims: { workspaceId, environment, deviceKey: DeviceKey(deviceKey) }, secret: opened.secret };
};

/** Whether a secret is the one of a device's current token. */
export const isTokenOf = (digestOfDevice: Uint8Array, secret: string): boolean =>
  timingSafeEqual(digestOfDevice, digest(secret));
