import { assert, describe, it } from "@effect/vitest";
import { isSameOrigin } from "../../src/console/SessionAuthenticators.ts";
import {
  endedCookie,
  readSessionCookie,
  sessionCookie,
  sessionCookieName,
} from "../../src/console/SessionCookie.ts";

const host = "push.example.com";

describe("the cookie of a session", () => {
  it("the cookie is HttpOnly, SameSite=Strict, for all paths, and Secure over https (console.cookie)", () => {
    assert.strictEqual(
      sessionCookie(sessionCookieName(false, "localhost:8080"), "secret", 60),
      "waypost_session_8080=secret; Max-Age=60; Path=/; HttpOnly; SameSite=Strict",
    );
    assert.strictEqual(
      sessionCookie(sessionCookieName(true, host), "secret", 60),
      "__Host-waypost_session=secret; Max-Age=60; Path=/; HttpOnly; SameSite=Strict; Secure",
    );
    assert.include(endedCookie("__Host-waypost_session"), "__Host-waypost_session=; Max-Age=0;");
  });

  it("over http its name has the port that the browser called (console.cookie)", () => {
    const ports = [
      ["localhost:8080", "8080"],
      ["[::1]:8081", "8081"],
      ["waypost.test", "80"],
      ["waypost.test:80", "80"],
      ["waypost.test:8080;x=1", "80"],
      ["waypost.test:x", "80"],
      [undefined, "80"],
    ] as const;
    for (const [called, port] of ports)
      assert.strictEqual(sessionCookieName(false, called), `waypost_session_${port}`, called);
  });

  it("the cookie of another port, or of another host of the domain, is not read (console.cookie)", () => {
    const both = "waypost_session_8080=a; waypost_session_80=b; waypost_session=c; __Host-waypost_session=d";
    assert.strictEqual(readSessionCookie(both, sessionCookieName(false, "localhost:8080")), "a");
    assert.strictEqual(readSessionCookie(both, sessionCookieName(false, "localhost")), "b");
    assert.strictEqual(readSessionCookie(both, sessionCookieName(true, host)), "d");
    assert.isNull(readSessionCookie(both, sessionCookieName(false, "localhost:8081")));
    assert.isNull(readSessionCookie("waypost_session_80=planted", sessionCookieName(true, host)));
  });

  it("two different cookies of the same name are none (console.cookie)", () => {
    assert.isNull(readSessionCookie("name=a; name=b", "name"));
    assert.strictEqual(readSessionCookie("name=a; name=a", "name"), "a");
    assert.isNull(readSessionCookie("name=", "name"));
    assert.isNull(readSessionCookie(undefined, "name"));
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
