import { assert, describe, it } from "@effect/vitest";
import { Option, Redacted, Tracer } from "effect";
import { randomBytes, randomUUID } from "node:crypto";
import { makeCredential, sealCredential, makeSecret } from "../../src/access/Credential.ts";
import { maskedTracer } from "../../src/telemetry/MaskedTracer.ts";
import { secretMask } from "../../src/telemetry/SecretMasking.ts";

const mask = secretMask([Redacted.make("a-key-that-a-person-chose-for-this-server")]);

describe("masking of secrets", () => {
  it("every kind of token is masked, anywhere in a text and also if it is cut off (log.secrets)", () => {
    for (const prefix of ["wps_", "wpp_", "wpk_", "wpd_"]) {
      for (const token of [makeCredential(prefix), sealCredential(prefix, "0000001", makeSecret())]) {
        for (const part of [token, token.slice(0, 16), token.replace("_", "%5F")]) {
          const masked = mask(`/me/${part}/x?y=${part}`);
          assert.notInclude(masked, part.slice(6), part);
          assert.match(masked, /^\/me\/wp[a-z](_|%(5F)?)<redacted>\/x\?y=wp[a-z](_|%(5F)?)<redacted>$/);
        }
      }
    }
    assert.strictEqual(mask("trace-wps_01234567"), "trace-wps_<redacted>");
    assert.strictEqual(mask("Bearer abcdefgh12345"), "Bearer <redacted>");
    assert.strictEqual(mask("x=a-key-that-a-person-chose-for-this-server!"), "x=<redacted>!");
  });

  it("generated keys and the parts of a JWT are masked (log.secrets)", () => {
    for (let index = 0; index < 100; index++) {
      const key = `aA0${randomBytes(32).toString("base64url").slice(3)}`;
      assert.strictEqual(mask(`key ${key}.`), "key <redacted>.");
    }
    const part = `eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4${"A1b2".repeat(4)}`;
    assert.strictEqual(mask(`${part}.${part}`), "<redacted>.<redacted>");
  });

  it("ids, hashes, paths and sentences are not masked (log.secrets)", () => {
    for (const text of [
      randomUUID(),
      `${randomUUID()}/${randomUUID()}`,
      "0af7651916cd43dd8448eb211c80319c",
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      "/sandbox/platform/v1/campaigns/01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60/notifications",
      "The bearer of this message is well.",
      "platform-api-not-enabled-for-this-workspace-yet",
    ])
      assert.strictEqual(mask(text), text);
  });

  it("a span keeps no query, and no token in any attribute or event (log.secrets)", () => {
    const token = makeCredential("wps_");
    const tracer = maskedTracer(Tracer.make({ span: (options) => new Tracer.NativeSpan(options) }), mask);
    const span = tracer.span({
      name: "GET",
      kind: "server",
      parent: Option.none(),
      annotations: {} as never,
      links: [],
      startTime: 0n,
      root: true,
      sampled: true,
    }) as Tracer.NativeSpan;
    span.attribute("url.full", `http://h/${token}?name=Zoë`);
    span.attribute("url.path", `/${token}`);
    span.attribute("url.query", "name=Zoë");
    span.attribute("http.request.header.referer", `http://h/?t=${token}`);
    span.attribute("http.response.status_code", 404);
    span.event(`Refused ${token}`, 0n, { path: token, ms: 1 });
    assert.deepStrictEqual(Object.fromEntries(span.attributes), {
      "url.full": "http://h/wps_<redacted>",
      "url.path": "/wps_<redacted>",
      "http.request.header.referer": "http://h/?t=wps_<redacted>",
      "http.response.status_code": 404,
    });
    assert.deepStrictEqual(span.events, [
      ["Refused wps_<redacted>", 0n, { path: "wps_<redacted>", ms: 1 }],
    ] as never);
  });
});
