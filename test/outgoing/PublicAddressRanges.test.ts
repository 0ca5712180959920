import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import { isPublicAddress } from "../../src/outgoing/PublicAddressRanges.ts";

const embeddings = (v4: string): ReadonlyArray<string> => {
  const [a = 0, b = 0, c = 0, d = 0] = v4.split(".").map(Number);
  const hex = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  return [`::ffff:${v4}`, `::ffff:${hex}`, `64:ff9b::${hex}`, `2002:${hex}::1`];
};

describe("Public addresses", () => {
  it("special ranges are not public, from their first address to their last (F1.6)", () => {
    for (const address of [
      "0.0.0.0",
      "0.255.255.255",
      "10.0.0.0",
      "10.255.255.255",
      "100.64.0.0",
      "100.100.100.200",
      "100.127.255.255",
      "127.0.0.1",
      "127.255.255.255",
      "168.63.129.16",
      "169.254.0.0",
      "169.254.169.254",
      "172.16.0.0",
      "172.31.255.255",
      "192.0.0.192",
      "192.168.0.0",
      "192.168.255.255",
      "198.18.0.0",
      "198.19.255.255",
      "224.0.0.1",
      "239.255.255.255",
      "240.0.0.1",
      "255.255.255.255",
      "::",
      "::1",
      "::7f00:1",
      "64:ff9b:1::a00:1",
      "100::1",
      "fc00::1",
      "fd00:ec2::254",
      "fdff:ffff::1",
      "fe80::1",
      "fe80::1%eth0",
      "febf::1",
      "fec0::1",
      "ff02::1",
      "2001::1",
      "2001:db8::1",
      "3fff::1",
      "4000::1",
    ]) {
      assert.isFalse(isPublicAddress(address), address);
    }
  });

  it("addresses just outside of special ranges are public (F1)", () => {
    for (const address of [
      "1.0.0.0",
      "9.255.255.255",
      "11.0.0.0",
      "100.63.255.255",
      "100.128.0.0",
      "126.255.255.255",
      "128.0.0.0",
      "168.63.129.17",
      "169.253.255.255",
      "169.255.0.0",
      "172.15.255.255",
      "172.32.0.0",
      "192.0.1.0",
      "192.167.255.255",
      "192.169.0.0",
      "198.17.255.255",
      "198.20.0.0",
      "223.255.255.255",
      "2000::1",
      "2001:200::1",
      "2606:4700::1111",
      "2a00:1450::1",
    ]) {
      assert.isTrue(isPublicAddress(address), address);
    }
  });

  it("an IPv6 address that embeds an IPv4 address is classified by it: mapped, NAT64, 6to4 (F1.6)", () => {
    const special = fc.constantFrom(
      "10.0.0.5",
      "127.0.0.1",
      "169.254.169.254",
      "172.20.1.1",
      "192.168.1.1",
      "100.64.3.4",
    );
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), special), (v4) => {
        for (const v6 of embeddings(v4)) assert.strictEqual(isPublicAddress(v6), isPublicAddress(v4), v6);
      }),
    );
  });

  it("a text that is not an address is not public", () => {
    for (const text of ["", "example.com", "1.2.3", "256.1.1.1", "[2606:4700::1111]", "0x7f000001"]) {
      assert.isFalse(isPublicAddress(text), text);
    }
  });
});
