import { Option } from "effect";
import type { HttpServerRequest } from "effect/http";
import type { Settings } from "../config/Settings.ts";

type TrustedProxies = Settings["Service"]["trustedProxies"];

const plain = (address: string): string => address.replace(/^::ffff:/i, "");

/**
 * The client address of a request: the peer's, or behind trusted proxies the last address of
 * `X-Forwarded-For` that is not one of them. The header is ignored when the peer is not trusted (contract
 * I2).
 */
export const clientAddress = (
  request: HttpServerRequest.HttpServerRequest,
  proxies: TrustedProxies,
): string => {
  const peer = plain(Option.getOrElse(request.remoteAddress, () => "unknown"));
  if (!proxies.trusts(peer)) return peer;
  const forwarded = (request.headers["x-forwarded-for"] ?? "").split(",").map((part) => plain(part.trim()));
  let address = peer;
  for (const hop of forwarded.reverse()) {
    if (hop === "") break;
    address = hop;
    if (!proxies.trusts(hop)) break;
  }
  return address;
};

/** The host that the client called: the `Host` header, or `X-Forwarded-Host` behind a trusted proxy. */
export const calledHost = (
  request: HttpServerRequest.HttpServerRequest,
  proxies: TrustedProxies,
): string | undefined => {
  const peer = plain(Option.getOrElse(request.remoteAddress, () => "unknown"));
  const forwarded = proxies.trusts(peer)
    ? request.headers["x-forwarded-host"]?.split(",")[0]?.trim()
    : undefined;
  return forwarded ?? request.headers["host"];
};
