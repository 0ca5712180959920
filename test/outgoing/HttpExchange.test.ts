import { assert, describe, it } from "@effect/vitest";
import { Clock, Effect } from "effect";
import { HttpExchange, type HttpResponse, NotReached } from "../../src/outgoing/HttpExchange.ts";
import { callResultOf } from "../../src/webhooks/calls/CallResult.ts";

/** An exchange with a connection that does nothing, and what it reports. */
const exchange = (isHeadOnly = false) => {
  const results: Array<HttpResponse | NotReached> = [];
  const aborted: Array<Error> = [];
  const controller = { abort: (error: Error) => void aborted.push(error) };
  const clock = Effect.runSync(Clock.Clock);
  const exchanged = new HttpExchange("shop.test", clock, (result) => void results.push(result), isHeadOnly);
  exchanged.onRequestStart(controller);
  return { exchanged, controller, results, aborted };
};

const error = (code: string) => Object.assign(new Error(`words of ${code}`), { code });

describe("The exchange of a request", () => {
  it("a status of 2xx is a success of a call, however slowly the body follows (N4.2)", () => {
    const { aborted, controller, exchanged, results } = exchange();
    exchanged.onResponseStart(controller, 100, {});
    assert.isNull(exchanged.received);
    exchanged.onResponseStart(controller, 202, {});
    exchanged.onResponseData(controller, Buffer.from("a"));
    const { received } = exchanged;
    exchanged.cancel();
    assert.deepStrictEqual(received && callResultOf(received), {
      statusCode: 202,
      error: null,
      retryAfter: null,
      body: "a",
    });
    assert.lengthOf(aborted, 1);
    exchanged.onResponseEnd();
    assert.isEmpty(results);
  });

  it("a response that breaks off is an answer to a call, and no response to a push (N4.2, L7)", () => {
    const { controller, exchanged, results } = exchange();
    exchanged.onResponseStart(controller, 503, { "retry-after": ["7"] });
    exchanged.onResponseError(controller, error("ECONNRESET"));
    const [result] = results;
    assert.instanceOf(result, NotReached);
    assert.deepInclude(result, { host: "shop.test", detail: "ECONNRESET", isLost: false });
    assert.deepInclude(callResultOf(result), { statusCode: 503, retryAfter: 7_000 });
  });

  it("at most a kilobyte of an answer is shown, 16 are kept, and 64 are read (N5.3)", () => {
    const { aborted, controller, exchanged, results } = exchange();
    exchanged.onResponseStart(controller, 500, { "retry-after": "7" });
    exchanged.onResponseData(controller, Buffer.alloc(65_000, "a"));
    assert.isEmpty(results);
    exchanged.onResponseData(controller, Buffer.alloc(65_000, "b"));
    const [response] = results as ReadonlyArray<HttpResponse>;
    assert.deepInclude(response, { status: 500, retryAfter: 7_000, body: Buffer.alloc(16_384, "a") });
    assert.strictEqual(response && callResultOf(response).body, "a".repeat(1_024));
    assert.lengthOf(aborted, 1);
  });

  it("the head of a response ends an exchange of the head alone (F1.4)", () => {
    const { aborted, controller, exchanged, results } = exchange(true);
    exchanged.onResponseStart(controller, 301, { location: "/next" });
    assert.deepInclude(results[0], { status: 301, location: "/next" });
    assert.lengthOf(aborted, 1);
  });

  it("a connection that was lost or refused before any response is known as such (L5, L7)", () => {
    const about = (code: string) => {
      const { controller, exchanged, results } = exchange();
      exchanged.onResponseError(controller, error(code));
      const { detail, isLost, mayHaveArrived } = results[0] as NotReached;
      return [detail, isLost, mayHaveArrived];
    };
    assert.deepStrictEqual(about("ECONNREFUSED"), ["ECONNREFUSED", false, false]);
    assert.deepStrictEqual(about("ECONNRESET"), ["ECONNRESET", true, true]);
    assert.deepStrictEqual(about("UND_ERR_SOCKET"), ["words of UND_ERR_SOCKET", true, true]);
  });

  it("a request that was canceled before it started is aborted when it starts, and reports nothing", () => {
    const results: Array<unknown> = [];
    const aborted: Array<Error> = [];
    const exchanged = new HttpExchange("shop.test", Effect.runSync(Clock.Clock), (result) =>
      results.push(result),
    );
    exchanged.cancel();
    exchanged.onRequestStart({ abort: (reason) => void aborted.push(reason) });
    assert.lengthOf(aborted, 1);
    assert.isEmpty(results);
  });
});
