import { assert, describe, it, vi } from "@effect/vitest";
import { TakesLong } from "../../src/database/Batched.ts";
import { noteRequest } from "../../src/database/RecentWorkspaces.ts";
import { EventBounds, laterFrom, noMessages, partOf, withMessages } from "../../src/events/EventParts.ts";
import type { TriggerMatch } from "../../src/events/TriggerMatch.ts";
import type { Message } from "../../src/sending/rendering/Message.ts";

/** An event that fires so many messages; `index` is that of its entry. */
const enter = (index: number, messages: number) => ({
  index,
  problem: null,
  fires: Array.from({ length: messages }, () => ({}) as TriggerMatch),
  waits: [],
});

const request = (workspaceId: number, worked: number, ...costs: ReadonlyArray<number>) => ({
  workspaceId,
  worked,
  events: costs.map((messages, index) => enter(index, messages)),
  end: Infinity,
});

const bounds = {
  ...EventBounds.defaultValue(),
  messages: 10,
  messagesBeside: 1_000,
  sharedMessages: 6,
  answerMessages: 3,
  answerBytes: 200,
};
const all = Infinity;

describe("The events of one transaction", () => {
  it("all that fit are worked, of a request those before the first that does not (TR1)", () => {
    assert.deepStrictEqual(partOf([request(1, 0, 4, 3, 3)], bounds, true), [all]);
    assert.deepStrictEqual(partOf([request(1, 0, 4, 3, 4, 1)], bounds, true), [2]);
    assert.deepStrictEqual(partOf([request(1, 0, 0, 40, 0, 1)], bounds, true), [3]);
  });

  it("one entry is worked in any case, also one of several events (TR1, OS30)", () => {
    assert.deepStrictEqual(partOf([request(1, 0, 40, 1)], bounds, true), [1]);
    const events = [enter(4, 8), enter(4, 8), enter(5, 1)];
    assert.deepStrictEqual(partOf([{ ...request(1, 0), events }], bounds, true), [5]);
  });

  it("what was not looked up is not worked, and its heaviest workspace goes apart (TR1)", () => {
    const cut = { ...request(1, 0, 1, 1, 1), end: 1 };
    assert.deepStrictEqual(partOf([cut, request(1, 0, 1)], bounds, false), [1, all]);
    assert.throws(() => partOf([request(2, 0, 1), cut], bounds, false), TakesLong, "1");
  });

  it("a part is smaller while other workspaces send requests (TR1, running.neighbours)", () => {
    const few = { ...bounds, messagesBeside: 4 };
    noteRequest(2);
    noteRequest(1);
    assert.deepStrictEqual(partOf([request(1, 0, 3, 3)], few, true), [1]);
    const later = vi.spyOn(performance, "now").mockReturnValue(performance.now() + 10_000);
    assert.deepStrictEqual(partOf([request(1, 0, 3, 3)], few, true), [all]);
    later.mockRestore();
  });

  it("requests of which less was worked come first (TR1)", () => {
    const requests = [request(1, 3, 8), request(1, 0, 8), request(1, 1, 1)];
    assert.deepStrictEqual(partOf(requests, bounds, true), [0, all, all]);
  });

  it("a workspace with many messages leaves a batch with others (TR1)", () => {
    const requests = [request(1, 0, 2), request(2, 0, 4, 3)];
    assert.throws(() => partOf(requests, bounds, false), TakesLong);
    assert.deepStrictEqual(partOf(requests, bounds, true), [all, all]);
    assert.deepStrictEqual(partOf([request(2, 0, 4, 3)], bounds, false), [all]);
  });
});

describe("The messages of an answer", () => {
  const message = (body: string, silent = false) =>
    ({ body, ...(silent && { silent: true }) }) as unknown as Message;
  const answered = (...parts: ReadonlyArray<ReadonlyArray<Message | null>>) => {
    const { isFull, isMore, messages } = parts.reduce(
      (kept, part) => withMessages(kept, part, bounds),
      noMessages,
    );
    return [messages.map(({ message }) => message.body.slice(0, 3)), isMore, isFull];
  };

  it("has a bound of messages and of bytes, and says that there are more (TR1)", () => {
    assert.deepStrictEqual(answered([message("a")], [message("b"), message("c")]), [
      ["a", "b", "c"],
      false,
      false,
    ]);
    assert.deepStrictEqual(answered([message("a"), message("b")], [message("c"), message("d")]), [
      ["a", "b", "c"],
      true,
      false,
    ]);
    const long = "ééé".padEnd(120, "é");
    assert.deepStrictEqual(answered([message(long), message("b")]), [["ééé"], true, false]);
    assert.deepStrictEqual(answered([message("a"), message(long), message("b")]), [["a"], true, false]);
    assert.deepStrictEqual(answered([message("a"), null]), [["a"], true, false]);
  });

  it("has silent messages first, and is full once no other one of them has room (TR1, OS30)", () => {
    const silent = (...bodies: ReadonlyArray<string>) => bodies.map((body) => message(body, true));
    assert.deepStrictEqual(answered([message("x"), message("y")], [message("z"), ...silent("a")]), [
      ["a", "x", "y"],
      true,
      false,
    ]);
    assert.deepStrictEqual(answered(silent("a", "b"), silent("c", "d")), [["a", "b", "c"], true, true]);
  });

  it("lists what is later from an index on, and has no such field for nothing (TR1, OS30)", () => {
    assert.deepStrictEqual(laterFrom(2, 4), { later: [2, 3] });
    assert.deepStrictEqual(laterFrom(4, 4), {});
  });
});
