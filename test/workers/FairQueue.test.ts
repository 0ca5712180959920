import { assert, it } from "@effect/vitest";
import { FairQueue, type FairQueueLimits, type QueuedJob } from "../../src/workers/FairQueue.ts";

const limits: FairQueueLimits = { maxRunning: 2, maxRunningOfOwner: 1, maxWaiting: 10, maxWaitingOfOwner: 4 };

/** A queue whose jobs write their names to a list when they start. */
const recorded = (more: Partial<FairQueueLimits> = {}) => {
  const queue = new FairQueue({ ...limits, ...more });
  const started: Array<string> = [];
  const running: Array<QueuedJob> = [];
  const add = (owner: number, name: string) => {
    const job: QueuedJob = { owner, start: () => void (started.push(name), running.push(job)) };
    return queue.add(job) ? job : null;
  };
  const finish = (): void => {
    const job = running.shift();
    if (job !== undefined) queue.remove(job);
  };
  return { queue, started, add, finish };
};

it("files of one workspace never hold both workers (H1.7)", () => {
  const { add, started } = recorded();
  for (const name of ["a1", "a2", "a3", "a4"]) add(1, name);
  add(2, "b1");
  assert.deepStrictEqual(started, ["a1", "b1"]);
});

it("workspaces take turns, and the files of each keep their order (H1.7)", () => {
  const { add, finish, started } = recorded({ maxRunning: 1 });
  for (const name of ["a1", "a2", "a3"]) add(1, name);
  add(2, "b1");
  add(2, "b2");
  add(3, "c1");
  for (let job = 0; job < 6; job += 1) finish();
  assert.deepStrictEqual(started, ["a1", "b1", "c1", "a2", "b2", "a3"]);
});

it("a workspace with many waiting files refuses its own only (H1.7)", () => {
  const { add, started } = recorded({ maxRunning: 1 });
  for (const name of ["a1", "a2", "a3", "a4", "a5"]) assert.isNotNull(add(1, name));
  assert.isNull(add(1, "a6"));
  assert.isNotNull(add(2, "b1"));
  assert.deepStrictEqual(started, ["a1"]);
});

it("the number of waiting files of all workspaces is bounded", () => {
  const { add } = recorded({ maxRunning: 1 });
  for (let owner = 0; owner < 11; owner += 1) assert.isNotNull(add(owner, "file"));
  assert.isNull(add(11, "file"));
});

it("a file that is no longer wanted leaves the queue, and removing it twice changes nothing", () => {
  const { add, finish, queue, started } = recorded({ maxRunning: 1 });
  const [first, second] = [add(1, "a1"), add(1, "a2")];
  add(1, "a3");
  if (first === null || second === null) throw new Error("Both are taken");
  queue.remove(second);
  queue.remove(second);
  finish();
  assert.deepStrictEqual(started, ["a1", "a3"]);
  queue.remove(first);
  add(2, "b1");
  assert.deepStrictEqual(started, ["a1", "a3"]);
});

it("an owner holds some of the slots, and jobs of others overtake its own that wait (B3.8)", () => {
  const { add, finish, started } = recorded({ maxRunning: 3, maxRunningOfOwner: 2 });
  for (const name of ["a1", "a2", "a3", "a4"]) add(1, name);
  add(2, "b1");
  add(3, "c1");
  assert.deepStrictEqual(started, ["a1", "a2", "b1"]);
  finish();
  assert.deepStrictEqual(started, ["a1", "a2", "b1", "c1"]);
  finish();
  finish();
  assert.deepStrictEqual(started, ["a1", "a2", "b1", "c1", "a3", "a4"]);
});
