import { base62, fromBase62, openCredential, sealCredential } from "../access/Credential.ts";
import type { Environment } from "../workspaces/Environment.ts";

/** Where a device's row is: the key of the table, so that a token is looked up without an index of its own. */
export interface DeviceTokenClaims {
  readonly workspaceId: number;
  readonly environment: Environment;
  readonly key: number;
}

const prefix = "wpd_";
/** Characters for a positive 32-bit integer, with room for one bit more. */
const width = 6;
const largest = 2_147_483_647;

/** The token of a device: it says where the device's row is, and proves it by the secret, whose digest the row keeps. */
export const deviceToken = (key: DeviceTokenClaims, secret: string): string => {
  const place = key.key * 2 + (key.environment === "production" ? 1 : 0);
  return sealCredential(prefix, base62(key.workspaceId, width) + base62(place, width), secret);
};

/** Takes a device token apart; null for a text that can be none. */
export const openDeviceToken = (
  token: string,
): { readonly key: DeviceTokenClaims; readonly secret: string } | null => {
  const opened = openCredential(prefix, 2 * width, token);
  if (opened === null) return null;
  const workspaceId = fromBase62(opened.locator.slice(0, width));
  const place = fromBase62(opened.locator.slice(width));
  const key = Math.floor(place / 2);
  if (workspaceId > largest || key > largest) return null;
  const environment = place % 2 === 1 ? "production" : "sandbox";
  return { key: { workspaceId, environment, key }, secret: opened.secret };
};
