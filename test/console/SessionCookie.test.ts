import { assert, describe, it } from "@effect/vitest";
import { isSameOrigin } from "../../src/console/SameOrigin.ts";
import { endedCookie, readSessionCookie, sessionCookie } from "../../src/console/SessionCookie.ts";

const host = "push.example.com";

describe("the cookie of a session", () => {
  it("the cookie is HttpOnly, SameSite=Strict, for all paths, and Secure over https (console.cookie)", () => {
    assert.strictEqual(
      sessionCookie("secret", 60, false),
      "waypost_session=secret; Max-Age=60; Path=/; HttpOnly; SameSite=Strict",
    );
    assert.strictEqual(
      sessionCookie("secret", 60, true),
      "__Host-waypost_session=secret; Max-Age=60; Path=/; HttpOnly; SameSite=Strict; Secure",
    );
    assert.include(endedCookie(true), "__Host-waypost_session=; Max-Age=0;");
  });

  it("a cookie that another host of the domain planted is not read over https (console.cookie)", () => {
    assert.isNull(readSessionCookie("waypost_session=planted", true));
    assert.strictEqual(readSessionCookie("waypost_session=planted; __Host-waypost_session=own", true), "own");
    assert.strictEqual(readSessionCookie("other=1; waypost_session=own", false), "own");
  });

  it("two different cookies of the same name are none (console.cookie)", () => {
    assert.isNull(readSessionCookie("waypost_session=a; waypost_session=b", false));
    assert.strictEqual(readSessionCookie("waypost_session=a; waypost_session=a", false), "a");
    assert.isNull(readSessionCookie("waypost_session=", false));
    assert.isNull(readSessionCookie(undefined, false));
  });
});

describe("the origin of a request", () => {
  const ask = (fetchSite: string | undefined, origin: string | undefined, isSecure = true) =>
    isSameOrigin({ fetchSite, origin, host, isSecure });

  it("a request is of the same origin if Sec-Fetch-Site or Origin says so (console.csrf)", () => {
    assert.isTrue(ask("same-origin", undefined));
    assert.isTrue(ask(undefined, "https://push.example.com"));
    assert.isTrue(
      isSameOrigin({ fetchSite: undefined, origin: "http://h:8080", host: "h:8080", isSecure: false }),
    );
    assert.isTrue(isSameOrigin({ fetchSite: undefined, origin: "https://h", host: "h:443", isSecure: true }));
  });

  it("a missing, null or other origin is refused (console.csrf)", () => {
    for (const [fetchSite, origin] of [
      [undefined, undefined],
      [undefined, "null"],
      [undefined, "https://push.example.com.evil.example"],
      [undefined, "https://evil.example"],
      [undefined, "http://push.example.com"],
      [undefined, "https://push.example.com:8443"],
      ["cross-site", "https://push.example.com"],
      ["same-site", undefined],
      ["none", undefined],
      ["", undefined],
    ] as const)
      assert.isFalse(ask(fetchSite, origin), `${fetchSite} ${origin}`);
  });
});
