import { assert, it } from "@effect/vitest";
import { createECDH } from "node:crypto";
import { encryptForBrowser } from "../../../src/sending/push/transports/WebPushEncryption.ts";

const bytes = (text: string): Buffer => Buffer.from(text, "base64url");

// RFC 8291, section 5 and appendix A.
const subscription = {
  p256dh: bytes("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
  auth: bytes("BTBZMqHH6r4Tts7J_aSIgg"),
};
const example =
  "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWA" +
  "mS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxs" +
  "j_Qulcy4a-fN";

it("the example of RFC 8291 is encrypted to its exact bytes (K1)", () => {
  const pair = createECDH("prime256v1");
  pair.setPrivateKey(bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"));
  const body = encryptForBrowser("When I grow up, I want to be a watermelon", subscription, {
    pair,
    salt: bytes("DGv6ra1nlYgDCS1FRnbzlw"),
  });
  assert.strictEqual(body.toString("base64url"), example);
});

it("each message has a new key pair and a new salt (K1)", () => {
  const [first, second] = [0, 1].map(() => encryptForBrowser("Hello", subscription));
  assert.notDeepEqual(first?.subarray(0, 16), second?.subarray(0, 16));
  assert.notDeepEqual(first?.subarray(21, 86), second?.subarray(21, 86));
});
