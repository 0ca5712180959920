import { BlockList, isIP } from "node:net";

// IANA's special-purpose registries: ranges that the internet does not route, and metadata services of
// clouds.
const specialIpv4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // Azure's metadata and wire server, the only one in a public range.
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const;

const hex = (high: string | undefined, low: string | undefined): string =>
  (Number(high) * 256 + Number(low)).toString(16);

const special = new BlockList();
for (const [address, bits] of specialIpv4) {
  special.addSubnet(address, bits, "ipv4");
  // The same hosts by IPv6 addresses that embed IPv4: mapped, NAT64, 6to4.
  const [a, b, c, d] = address.split(".");
  const embedded = `${hex(a, b)}:${hex(c, d)}`;
  special.addSubnet(`::ffff:${embedded}`, 96 + bits, "ipv6");
  special.addSubnet(`64:ff9b::${embedded}`, 96 + bits, "ipv6");
  special.addSubnet(`2002:${embedded}::`, 16 + bits, "ipv6");
}
// Protocol assignments, including Teredo and ORCHID, and documentation.
special.addSubnet("2001::", 23, "ipv6");
special.addSubnet("2001:db8::", 32, "ipv6");
special.addSubnet("3fff::", 20, "ipv6");

// Only 2000::/3 is global unicast; loopback, link-local, unique local and multicast are outside of it.
const globalIpv6 = new BlockList();
globalIpv6.addSubnet("2000::", 3, "ipv6");
globalIpv6.addSubnet("::ffff:0:0", 96, "ipv6");
globalIpv6.addSubnet("64:ff9b::", 96, "ipv6");

/** Whether a text is an IPv4 or IPv6 address of the public internet (contract F1). */
export const isPublicAddress = (address: string): boolean => {
  const family = isIP(address);
  if (family === 4) return !special.check(address, "ipv4");
  // An address with a zone ("fe80::1%eth0") is link-local.
  if (family !== 6 || address.includes("%")) return false;
  return globalIpv6.check(address, "ipv6") && !special.check(address, "ipv6");
};
