import { Effect } from "effect";
import type { IncomingMessage } from "node:http";
import { secretKeyOf, signatureOf } from "../webhooks/WebhookSecret.ts";
import { failed } from "./DemoFailed.ts";
import { loopbackServer } from "./LoopbackServer.ts";

/** A call that arrived. */
interface ReceivedCall {
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

const maxWait = "15 seconds";

/** Whether the call is signed with this secret, as Standard Webhooks says. */
const isSigned = ({ body, headers }: ReceivedCall, secret: string): boolean => {
  const [id, timestamp] = [String(headers["webhook-id"]), String(headers["webhook-timestamp"])];
  return headers["webhook-signature"] === signatureOf([secretKeyOf(secret)], id, timestamp, body);
};

/** A receiver of webhooks that keeps every call, until the scope closes. */
export const eventReceiver = Effect.gen(function* () {
  const calls: Array<ReceivedCall> = [];
  const url = yield* loopbackServer((request, response) => {
    const chunks: Array<Buffer> = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      calls.push({ headers: request.headers, body: Buffer.concat(chunks).toString("utf8") });
      response.writeHead(204).end();
    });
  });
  const arrived = (count: number) =>
    Effect.gen(function* () {
      while (calls.length < count) yield* Effect.sleep(50);
    }).pipe(
      Effect.timeoutOrElse({
        duration: maxWait,
        orElse: () => Effect.fail(failed(`Only ${calls.length} of ${count} calls of the webhook arrived.`)),
      }),
    );
  return {
    url: `${url}/waypost`,
    /**
     * The events of the first calls, in the order of their arrival. Fails when a signature is wrong, or when
     * fewer calls arrive within 15 seconds.
     */
    events: Effect.fnUntraced(function* (secret: string, count: number) {
      yield* arrived(count);
      const first = calls.slice(0, count);
      if (!first.every((call) => isSigned(call, secret)))
        return yield* failed("A call of the webhook has a wrong signature.");
      return first.map(({ body }) => JSON.parse(body) as unknown);
    }),
  };
});
