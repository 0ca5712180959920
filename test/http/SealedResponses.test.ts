import { assert, describe, it } from "@effect/vitest";
import { Effect, Redacted } from "effect";
import { DataDirectory } from "../../src/database/DataDirectory.ts";
import type { IdempotentRequest } from "../../src/http/IdempotencySql.ts";
import { bodyFor, sealedResponses } from "../../src/http/SealedResponses.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";

const sealedWith = (secretKey: string) =>
  Effect.runSync(
    Effect.provideService(sealedResponses, DataDirectory, {
      path: "",
      operatorKey: Redacted.make("operator"),
      secretKey: Redacted.make(secretKey),
    }),
  );
const own = sealedWith("the secret key of the tests");

const request: IdempotentRequest = {
  tenant: { workspaceId: 1, environment: "sandbox" } as Tenant,
  key: "k",
  path: "/platform/v1/webhooks",
  author: "token 1",
};
const body = new Uint8Array(Buffer.from('{"data":{"id":"1","secret":"whsec_hush"},"meta":{"secret":"é"}}'));
const response = { status: 201, contentType: "application/json", body };

const textFor = (reader: string, changes: object = {}): string =>
  Buffer.from(bodyFor(reader, { ...response, author: "token 1", ...changes })).toString();

describe("responses that are sealed at rest", () => {
  it("a stored response opens byte for byte, and its row has nothing of it (Y29)", () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    for (const each of [body, bytes, new Uint8Array()]) {
      const stored = own.seal(request, { ...response, body: each });
      assert.deepInclude(stored, { status: 201, body: null, author: "token 1" });
      assert.notInclude(Buffer.from(stored.sealed ?? []).toString("latin1"), "whsec_");
      const opened = own.open({ ...request, author: "token 2" }, stored);
      assert.deepStrictEqual(Buffer.from(opened.body), Buffer.from(each));
      assert.deepInclude(opened, { status: 201, contentType: "application/json", author: "token 1" });
    }
  });

  it("a response does not open in another row, for another author, or with another secret key (Y29)", () => {
    const stored = own.seal(request, response);
    for (const open of [
      () => own.open({ ...request, key: "other" }, stored),
      () => own.open({ ...request, path: "/platform/v1/campaigns" }, stored),
      () => own.open({ ...request, tenant: { ...request.tenant, environment: "production" } }, stored),
      () => own.open(request, { ...stored, author: "token 2" }),
      () => sealedWith("another secret key").open(request, stored),
    ])
      assert.throws(open, "does not open with this secret key");
  });

  it("the body that an older version stored is readable until it expires", () => {
    const legacy = { status: 200, content_type: null, body, sealed: null, author: null };
    assert.deepStrictEqual(own.open(request, legacy), { status: 200, contentType: null, body, author: null });
  });

  it("only the author gets the secret of a response again (Y29, X11c)", () => {
    assert.strictEqual(textFor("token 1"), Buffer.from(body).toString());
    const hidden = '{"data":{"id":"1","secret":null},"meta":{"secret":"é"}}';
    for (const reader of ["token 2", "session 1", "operator 1", "token 11", ""])
      assert.strictEqual(textFor(reader), hidden);
    // Nobody knows who made a change that an older version stored.
    assert.strictEqual(textFor("token 1", { author: null }), hidden);
  });

  it("a response without a secret is the same for all (J1.2)", () => {
    for (const text of ['{"data":{"id":"1"}}', '{"data":[{"secret":"x"}]}', '{"data":null}'])
      assert.strictEqual(textFor("token 2", { body: Buffer.from(text) }), text);
    assert.strictEqual(textFor("token 2", { contentType: null, body: new Uint8Array() }), "");
  });
});
