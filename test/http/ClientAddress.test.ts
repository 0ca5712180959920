import { assert, describe, it } from "@effect/vitest";
import { Effect } from "effect";
import { addressBlock } from "../../src/access/AddressBlock.ts";
import { Settings } from "../../src/config/Settings.ts";
import { forwardedAddress } from "../../src/http/ClientAddress.ts";

const { trustedProxies } = Effect.runSync(
  Settings.fromRecord({ WAYPOST_TRUSTED_PROXIES: "127.0.0.1, 10.0.0.0/8, fd00::/8" }),
);
const from = (forwardedFor: string | undefined, peer = "127.0.0.1"): string =>
  forwardedAddress(peer, forwardedFor, trustedProxies);

describe("the address of a client", () => {
  it("the address is the last one that is not of a trusted proxy, in its shortest form (I2.3)", () => {
    assert.strictEqual(from(undefined), "127.0.0.1");
    assert.strictEqual(from("203.0.113.7"), "203.0.113.7");
    assert.strictEqual(from("198.51.100.1, 203.0.113.7, 10.1.2.3"), "203.0.113.7");
    assert.strictEqual(from("10.1.2.3"), "10.1.2.3");
    assert.strictEqual(from("2001:DB8:0:0:0:0:0:1, fd00::5"), "2001:db8::1");
    assert.strictEqual(from("::ffff:203.0.113.7"), "203.0.113.7");
    assert.strictEqual(from("::FFFF:cb00:7107"), "203.0.113.7");
    assert.strictEqual(from("203.0.113.7:4711"), "203.0.113.7");
    assert.strictEqual(from("[2001:db8::1]:4711"), "2001:db8::1");
    assert.strictEqual(from("[2001:db8::1]"), "2001:db8::1");
    assert.strictEqual(from("203.0.113.7", "198.51.100.9"), "198.51.100.9");
    assert.strictEqual(from("203.0.113.7", "::ffff:127.0.0.1"), "203.0.113.7");
  });

  it("a hop that is no address is refused, with everything before it (I2.3)", () => {
    const none = [
      "unknown",
      "x".repeat(4000),
      "",
      "203.0.113.7.5",
      "203.0.113.7:port",
      "[203.0.113.7",
      "999.1.1.1",
    ];
    for (const hop of none) {
      assert.strictEqual(from(hop), "127.0.0.1", hop.slice(0, 20));
      assert.strictEqual(from(`203.0.113.7, ${hop}`), "127.0.0.1", hop.slice(0, 20));
      assert.strictEqual(from(`203.0.113.7, ${hop}, 10.1.2.3`), "10.1.2.3", hop.slice(0, 20));
      assert.strictEqual(from(`${hop}, 203.0.113.7`), "203.0.113.7", hop.slice(0, 20));
    }
  });

  it("an IPv6 address counts with its /64, and an IPv4 address alone (I2.4)", () => {
    assert.strictEqual(addressBlock("203.0.113.7"), "203.0.113.7");
    assert.strictEqual(addressBlock("unknown"), "unknown");
    const same = [
      "2001:db8:1:2::1",
      "2001:db8:1:2:ffff:ffff:ffff:ffff",
      "2001:db8:1:2::",
      "2001:db8:1:2:3::",
    ];
    for (const address of same) assert.strictEqual(addressBlock(address), "2001:db8:1:2::/64");
    assert.strictEqual(addressBlock("2001:db8::1"), "2001:db8:0:0::/64");
    assert.strictEqual(addressBlock("2001::1:2:3:4:5"), "2001:0:0:1::/64");
    assert.strictEqual(addressBlock("::1"), "0:0:0:0::/64");
  });
});
