import { BlockList, isIP } from "node:net";

const privateNetworks = new BlockList();
privateNetworks.addSubnet("10.0.0.0", 8);
privateNetworks.addSubnet("127.0.0.0", 8);
privateNetworks.addSubnet("169.254.0.0", 16);
privateNetworks.addSubnet("172.16.0.0", 12);
privateNetworks.addSubnet("192.168.0.0", 16);
privateNetworks.addAddress("::1", "ipv6");
privateNetworks.addSubnet("fc00::", 7, "ipv6");
privateNetworks.addSubnet("fe80::", 10, "ipv6");

const isPrivate = (host: string): boolean => {
  if (host === "localhost" || host.endsWith(".localhost")) return true;
  const address = host.replace(/^\[|\]$/g, "");
  const version = isIP(address);
  return version !== 0 && privateNetworks.check(address, version === 6 ? "ipv6" : "ipv4");
};

/**
 * The origin of pages in the form of the header `Origin`: lower case, without the default port. It is
 * `https://host[:port]`, or `http` for localhost and private addresses (contract BW1). Null for another text.
 */
export const webOrigin = (text: string): string | null => {
  const url = URL.parse(text);
  if (url === null || !/^[a-z0-9.:[\]-]+$/.test(url.hostname)) return null;
  const defaultPort = url.protocol === "https:" ? ":443" : ":80";
  if (![url.origin, url.origin + defaultPort].includes(text.toLowerCase())) return null;
  return url.protocol === "https:" || (url.protocol === "http:" && isPrivate(url.hostname))
    ? url.origin
    : null;
};
