import { Context } from "effect";
import { availableParallelism } from "node:os";
import { startThread } from "../../../workers/ProgramThread.ts";
import type {
  EncryptionAnswer,
  EncryptionSettings,
  EncryptionThread,
  ThreadObserver,
} from "./EncryptionThreads.ts";

/** More threads than this wait for the event loop, which sends a push in a third of the time. */
const maxThreads = 4;
const heapMegabytes = 32;

/** Starts a thread that runs `EncryptionWorker.ts`. */
export const startEncryptionThread = ({ answered, ended }: ThreadObserver): EncryptionThread => {
  const file = new URL("./EncryptionWorker.ts", import.meta.url);
  const worker = startThread({ name: "encryption", file, heapMegabytes });
  worker.on("message", (bodies: EncryptionAnswer) => answered(bodies));
  worker.on("error", (error: Error) => ended(`failed: ${error.message}`));
  worker.on("exit", (code) => ended(`ended with ${code}`));
  return {
    send: (batch) => worker.postMessage(batch),
    stop: () => void worker.terminate(),
  };
};

/** The settings of the encryption threads in production. */
export const EncryptionThreadSettings = Context.Reference<EncryptionSettings>(
  "waypost/sending/transports/EncryptionThreadSettings",
  {
    defaultValue: () => ({
      start: startEncryptionThread,
      maxThreads: Math.min(maxThreads, availableParallelism()),
      answerMillis: 30_000,
      idleMillis: 30_000,
    }),
  },
);
