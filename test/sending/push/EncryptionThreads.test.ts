import { assert, it } from "@effect/vitest";
import { vi } from "vitest";
import {
  type EncryptionRequest,
  EncryptionFailed,
  EncryptionThreads,
  type ThreadObserver,
} from "../../../src/sending/push/transports/EncryptionThreads.ts";

/** A thread that answers when the test does. */
interface ManualThread {
  readonly observer: ThreadObserver;
  readonly batches: Array<EncryptionRequest>;
  isStopped: boolean;
}

/** Encryption by threads of the test, and the results: a text, "bad key", or a failure. */
const world = (limits: { readonly maxThreads?: number; readonly answerMillis?: number } = {}) => {
  const started: Array<ManualThread> = [];
  const results = new Map<string, string>();
  const threads = new EncryptionThreads({
    maxThreads: 2,
    answerMillis: 600_000,
    idleMillis: 600_000,
    ...limits,
    start: (observer) => {
      const thread: ManualThread = { observer, batches: [], isStopped: false };
      started.push(thread);
      return {
        send: (batch) => thread.batches.push(batch),
        stop: () => {
          thread.isStopped = true;
        },
      };
    },
  });
  const encrypt = (text: string) =>
    threads.encrypt({ text, p256dh: "", auth: "" }, (body) => {
      assert.isFalse(results.has(text));
      results.set(
        text,
        body === null ? "bad key" : body instanceof EncryptionFailed ? body.message : String(body),
      );
    });
  const encryptMany = (count: number) =>
    Array.from({ length: count }, (_, index) => encrypt(`${index}`)).length;
  return { encrypt, encryptMany, results, started, threads };
};

/** Answers the oldest batch of a thread: each message is its number, doubled. */
const answer = (thread: ManualThread | undefined): void =>
  thread?.observer.answered(thread.batches.shift()?.map(({ text }) => Uint8Array.of(Number(text) * 2)) ?? []);

const sizes = (started: ReadonlyArray<ManualThread>) =>
  started.map(({ batches }) => batches.map(({ length }) => length));

it("messages of one turn of the event loop share a batch, and each gets its own result", async () => {
  const { encryptMany, results, started } = world();
  encryptMany(3);
  assert.lengthOf(started, 0);
  await Promise.resolve();
  assert.deepStrictEqual(sizes(started), [[3]]);
  answer(started[0]);
  assert.deepStrictEqual(Object.fromEntries(results), { 0: "0", 1: "2", 2: "4" });
});

it("a message that finds all threads busy starts one more, up to the limit", () => {
  const { encryptMany, started } = world();
  encryptMany(90);
  assert.deepStrictEqual(sizes(started), [
    [16, 16],
    [16, 16],
  ]);
});

it("a thread gets the next batch when it has answered one, until all messages are encrypted", () => {
  const { encryptMany, results, started } = world();
  encryptMany(90);
  while (started.some(({ batches }) => batches.length > 0)) for (const thread of started) answer(thread);
  assert.deepStrictEqual(
    [...results].toSorted(([a], [b]) => Number(a) - Number(b)),
    Array.from({ length: 90 }, (_, index) => [`${index}`, `${index * 2}`]),
  );
});

it("a canceled message has no result, whether a thread has it or not", async () => {
  const { encrypt, results, started } = world();
  encrypt("0")();
  const cancel = encrypt("1");
  encrypt("2");
  await Promise.resolve();
  assert.deepStrictEqual(sizes(started), [[2]]);
  cancel();
  answer(started[0]);
  assert.deepStrictEqual([...results], [["2", "4"]]);
});

it("a key that is no public key fails its own message alone", async () => {
  const { encryptMany, results, started } = world();
  encryptMany(2);
  await Promise.resolve();
  started[0]?.observer.answered([null, Uint8Array.of(1)]);
  assert.deepStrictEqual([...results.values()], ["bad key", "1"]);
});

it("the messages of a thread that ends fail at once; those that wait go to a new thread", async () => {
  const { encryptMany, results, started, threads } = world({ maxThreads: 1 });
  encryptMany(40);
  started[0]?.observer.ended("ended with 1");
  assert.isTrue(started[0]?.isStopped);
  assert.deepStrictEqual(
    [...results.values()],
    Array.from({ length: 32 }, () => "The encryption thread ended with 1."),
  );
  await Promise.resolve();
  assert.deepStrictEqual(sizes(started.slice(1)), [[8]]);
  answer(started[1]);
  assert.strictEqual(results.get("39"), "78");
  assert.strictEqual(threads.size, 1);
});

it("a stop fails every message that is not encrypted, and starts no thread", async () => {
  const { encryptMany, results, started, threads } = world({ maxThreads: 1 });
  encryptMany(40);
  threads.stop();
  await Promise.resolve();
  assert.strictEqual(results.size, 40);
  assert.strictEqual(threads.size, 0);
  assert.lengthOf(started, 1);
  answer(started[0]);
});

it("a thread that does not answer is stopped, and so is an idle one", () => {
  vi.useFakeTimers();
  try {
    const { encryptMany, results, started } = world({ maxThreads: 1, answerMillis: 1_000 });
    encryptMany(16);
    vi.advanceTimersByTime(999);
    assert.isFalse(started[0]?.isStopped);
    vi.advanceTimersByTime(1);
    assert.isTrue(started[0]?.isStopped);
    assert.strictEqual(results.get("0"), "The encryption thread did not answer for 1000 ms.");
    results.clear();
    encryptMany(16);
    answer(started[1]);
    vi.advanceTimersByTime(599_999);
    assert.isFalse(started[1]?.isStopped);
    vi.advanceTimersByTime(1);
    assert.isTrue(started[1]?.isStopped);
  } finally {
    vi.useRealTimers();
  }
});
