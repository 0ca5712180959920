import { assert, describe, it } from "@effect/vitest";
import { CallExchange, type CallResult } from "../../src/webhooks/calls/CallExchange.ts";

/** An exchange with a connection that does nothing, and what it reports. */
const exchange = () => {
  const results: Array<CallResult> = [];
  const aborted: Array<Error> = [];
  const controller = { abort: (error: Error) => void aborted.push(error) };
  const exchanged = new CallExchange((result) => void results.push(result));
  exchanged.onRequestStart(controller);
  return { exchanged, controller, results, aborted };
};

describe("The exchange of a call", () => {
  it("a status of 2xx is a success, however slowly the body follows (N4.2)", () => {
    const { aborted, controller, exchanged, results } = exchange();
    exchanged.onResponseStart(controller, 100, {});
    exchanged.onResponseStart(controller, 202, {});
    exchanged.onResponseData(controller, Buffer.from("a"));
    exchanged.expire("too late");
    assert.deepStrictEqual(results, [{ statusCode: 202, error: null, retryAfter: undefined, body: "a" }]);
    assert.lengthOf(aborted, 1);
    exchanged.onResponseEnd();
    assert.lengthOf(results, 1);
  });

  it("without a status the error of the timeout is reported (N4.2)", () => {
    const { controller, exchanged, results } = exchange();
    exchanged.onResponseStart(controller, 103, {});
    exchanged.expire("too late");
    assert.deepStrictEqual(results, [
      { statusCode: null, error: "too late", retryAfter: undefined, body: null },
    ]);
  });

  it("at most a kilobyte of an answer is kept, and 64 are read (N5.3)", () => {
    const { aborted, controller, exchanged, results } = exchange();
    exchanged.onResponseStart(controller, 500, { "retry-after": "7" });
    exchanged.onResponseData(controller, Buffer.alloc(65_000, "a"));
    assert.isEmpty(results);
    exchanged.onResponseData(controller, Buffer.alloc(65_000, "b"));
    assert.deepInclude(results[0], { statusCode: 500, retryAfter: "7", body: "a".repeat(1_024) });
    assert.lengthOf(aborted, 1);
  });
});
