/**
 * The encryption thread: encrypts batches of Web Push messages in the order in which they arrive, so that the
 * event loop does not. It imports little, as it starts with the first push and ends when there has been none
 * for a while.
 */
import { parentPort } from "node:worker_threads";
import type { EncryptionAnswer, EncryptionRequest } from "./EncryptionThreads.ts";
import { encryptForBrowser } from "./WebPushEncryption.ts";

parentPort?.on("message", (messages: EncryptionRequest) => {
  const bodies: EncryptionAnswer = messages.map(({ auth, p256dh, text }) => {
    try {
      const keys = { p256dh: Buffer.from(p256dh, "base64"), auth: Buffer.from(auth, "base64") };
      // A copy: a buffer is sent with all bytes of the memory that it shares with others.
      return new Uint8Array(encryptForBrowser(text, keys));
    } catch {
      return null;
    }
  });
  parentPort?.postMessage(bodies);
});
