import { assert, describe, it } from "@effect/vitest";
import { Webhook } from "standardwebhooks";
import { makeWebhookSecret, secretKeyOf, signatureOf } from "../../src/webhooks/WebhookSecret.ts";

describe("Signatures of webhooks", () => {
  it("the library of Standard Webhooks verifies what is signed, also by the second of two keys (N3)", () => {
    const [old, next] = [makeWebhookSecret(), makeWebhookSecret()];
    const timestamp = String((Math.floor(performance.timeOrigin + performance.now()) / 1000) | 0);
    const body = JSON.stringify({ type: "message.delivered", text: "Crème brûlée 🍮" });
    const signature = signatureOf([secretKeyOf(next), secretKeyOf(old)], "id-1", timestamp, body);
    const headers = { "webhook-id": "id-1", "webhook-timestamp": timestamp, "webhook-signature": signature };
    for (const secret of [old, next]) {
      assert.deepStrictEqual(new Webhook(secret).verify(body, headers), JSON.parse(body));
    }
    assert.throws(() => new Webhook(makeWebhookSecret()).verify(body, headers));
    assert.throws(() => new Webhook(next).verify(`${body} `, headers));
  });
});
