import { Option } from "effect";
import type { HttpServerRequest } from "effect/http";
import type { IncomingMessage } from "node:http";
import { isIP, SocketAddress } from "node:net";
import { addressBlock } from "../access/AddressBlock.ts";
import type { Settings } from "../config/Settings.ts";
import type { TransferClient } from "./connections/SlowClients.ts";

type TrustedProxies = Settings["Service"]["trustedProxies"];

/** IPv4 addresses as they are, IPv6 in the form of RFC 5952, and IPv4 mapped into IPv6 as IPv4. */
const canonical = (text: string): string | null => {
  const version = isIP(text);
  if (version !== 6) return version === 4 ? text : null;
  const [address = ""] = text.split("%", 1);
  const { address: short } = new SocketAddress({ address, family: "ipv6" });
  return short.replace(/^::ffff:(?=[\d.]+$)/, "");
};

/** The address of a hop, which some proxies send with its port; null for a text that is no address. */
const hopAddress = (hop: string): string | null => {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\](?::\d{1,5})?|(\d+(?:\.\d+){3}):\d{1,5})$/.exec(hop) ?? [];
  return canonical(bracketed ?? plain ?? hop);
};

/**
 * The address of the client behind trusted proxies: the last address of `forwardedFor`, the header
 * `X-Forwarded-For`, that is not one of them. The header is ignored when the peer is not trusted (contract
 * I2). A hop that is no address, such as `unknown`, is refused with everything before it: the address is then
 * that of the trusted proxy that sent it. So the result is always short, and no client can choose it freely.
 */
export const forwardedAddress = (
  peerAddress: string | undefined,
  forwardedFor: string | undefined,
  proxies: TrustedProxies,
): string => {
  const peer = canonical(peerAddress ?? "") ?? "unknown";
  if (!proxies.trusts(peer)) return peer;
  let address = peer;
  for (const hop of (forwardedFor ?? "").split(",").reverse()) {
    const next = hopAddress(hop.trim());
    if (next === null) break;
    address = next;
    if (!proxies.trusts(next)) break;
  }
  return address;
};

/** The client of a connection, for the bound of its transfers: an address, or an IPv6 /64. */
export const transferClient = (
  { headers, socket }: IncomingMessage,
  proxies: TrustedProxies,
): TransferClient => {
  const forwardedFor = [headers["x-forwarded-for"] ?? []].flat().join(",");
  const address = forwardedAddress(socket.remoteAddress, forwardedFor, proxies);
  const isProxied = proxies.trusts(forwardedAddress(socket.remoteAddress, undefined, proxies));
  return { address: proxies.trusts(address) ? null : addressBlock(address), isProxied };
};

/** Who sent a request, and what was called. */
interface RequestClient {
  /** The address of the client, behind trusted proxies. */
  readonly clientAddress: string;
  /** The host that the client called: the `Host` header, or `X-Forwarded-Host` behind a trusted proxy. */
  readonly host: string | undefined;
  /** Whether a trusted proxy says in `X-Forwarded-Proto` that the client called by https. */
  readonly isHttps: boolean;
}

/** The client of a request. Only a trusted proxy may set `X-Forwarded-…`; the first value of each counts. */
export const clientOf = (
  { headers, remoteAddress }: HttpServerRequest.HttpServerRequest,
  proxies: TrustedProxies,
): RequestClient => {
  const peerAddress = Option.getOrUndefined(remoteAddress);
  const clientAddress = forwardedAddress(peerAddress, headers["x-forwarded-for"], proxies);
  const { host } = headers;
  if (!proxies.trusts(canonical(peerAddress ?? "") ?? "unknown"))
    return { clientAddress, host, isHttps: false };
  const first = (value: string | undefined): string | undefined => value?.split(",")[0]?.trim();
  return {
    clientAddress,
    host: first(headers["x-forwarded-host"]) ?? host,
    isHttps: first(headers["x-forwarded-proto"])?.toLowerCase() === "https",
  };
};
