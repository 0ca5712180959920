import { isIPv6 } from "node:net";

const groupsOf = (part: string): ReadonlyArray<string> => (part === "" ? [] : part.split(":"));

/**
 * The addresses that count as one client (contract I2): an IPv4 address alone, an IPv6 address with its /64,
 * which is what one connection to the internet gets. The address must be in the form of RFC 5952.
 */
export const addressBlock = (address: string): string => {
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("::");
  const first = groupsOf(head);
  const last = groupsOf(tail ?? "");
  const missing = tail === undefined ? 0 : 8 - first.length - last.length;
  const groups = [...first, ...Array.from({ length: Math.max(0, missing) }, () => "0"), ...last];
  return `${groups.slice(0, 4).join(":")}::/64`;
};
