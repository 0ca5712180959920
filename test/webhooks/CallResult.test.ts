import { assert, describe, it } from "vitest";
import { NotReached } from "../../src/outgoing/HttpExchange.ts";
import { callResultOf, noAnswer } from "../../src/webhooks/calls/CallResult.ts";

const failure = (code: string, isPrivate = false) =>
  callResultOf(new NotReached({ host: "shop.test", code, detail: code, isPrivate }));

describe("the result of a call without an answer", () => {
  it("a refused, a lost and an unreadable connection have the result of a timeout (N5.3)", () => {
    for (const code of [
      "ECONNREFUSED",
      "ECONNRESET",
      "EHOSTUNREACH",
      "UND_ERR_SOCKET",
      "HPE_INVALID_CONSTANT",
    ])
      assert.deepStrictEqual(failure(code), noAnswer, code);
    assert.deepStrictEqual(failure("ERR_SSL_WRONG_VERSION_NUMBER"), noAnswer);
  });

  it("an invalid certificate is named, because its owner has to renew it (N5.3)", () => {
    for (const code of [
      "CERT_HAS_EXPIRED",
      "ERR_TLS_CERT_ALTNAME_INVALID",
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    ])
      assert.include(failure(code).error, `valid for its host (${code}).`);
  });

  it("a host without an address and a private one have sentences of their own (N1.5)", () => {
    assert.strictEqual(failure("ENOTFOUND").error, "The receiver's host has no address: shop.test.");
    assert.include(failure("EACCES", true).error, "must be on the public internet");
  });
});
