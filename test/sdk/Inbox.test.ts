import { assert, describe, it } from "@effect/vitest";
import { withInbox } from "../../sdk/core/Inbox.ts";

const message = (id: string, delivered_at: string | null) => ({ id, delivered_at });
const [now, before] = ["2026-11-21T12:00:00+00:00", "2026-11-20T12:00:00+00:00"];

describe("The messages of an answer that says more", () => {
  it("are those of the answer, and those of the inbox that came with them (TR1, OS30)", () => {
    const answered = [message("a", now), message("b", null)];
    const inbox = [message("c", now), message("a", now), message("old", before)];
    assert.deepStrictEqual(withInbox(answered, inbox), [...answered, message("c", now)]);
    assert.deepStrictEqual(withInbox(answered, []), answered);
    assert.deepStrictEqual(withInbox([], inbox), []);
  });
});
