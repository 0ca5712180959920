import { assert, describe, it } from "@effect/vitest";
import { classifier } from "../../src/http/PublicAddresses.ts";

describe("Public addresses (A1)", () => {
  it("without settings the path decides the environment for every host (A1.1, A1.3, versioning.1)", () => {
    const classify = classifier(undefined, undefined);
    assert.deepStrictEqual(classify("a.example", "/platform/v1/me?x=1"), {
      environment: "production",
      url: "/platform/v1/me?x=1",
    });
    assert.deepStrictEqual(classify(undefined, "/sandbox/platform/v1/me"), {
      environment: "sandbox",
      url: "/platform/v1/me",
    });
    assert.isNull(classify("a.example", "/platform/v10/me"));
    assert.isNull(classify("a.example", "/device/v1/events"));
  });

  it("with two hosts and one path the host decides the environment (A1.3)", () => {
    const classify = classifier(
      "https://api.acme.example/platform/v1",
      "https://sandbox.acme.example/platform/v1",
    );
    assert.strictEqual(classify("sandbox.acme.example", "/platform/v1/me")?.environment, "sandbox");
    assert.strictEqual(classify("API.acme.example", "/platform/v1/me")?.environment, "production");
    // The default port may be given. Another port is another host, for which the path decides.
    assert.strictEqual(classify("sandbox.acme.example:443", "/platform/v1/me")?.environment, "sandbox");
    assert.strictEqual(classify("sandbox.acme.example:80", "/platform/v1/me")?.environment, "production");
  });

  it("a longer public path is cut to the router's path, on its host and on any other (A1.2)", () => {
    const classify = classifier("https://acme.example:8443/waypost/live/platform/v1", undefined);
    for (const host of ["acme.example:8443", "10.0.0.1"]) {
      assert.deepStrictEqual(classify(host, "/waypost/live/platform/v1?limit=1"), {
        environment: "production",
        url: "/platform/v1?limit=1",
      });
    }
    assert.strictEqual(classify("10.0.0.1", "/sandbox/platform/v1/me")?.environment, "sandbox");
  });
});
