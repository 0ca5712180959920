import { assert, describe, it } from "@effect/vitest";
import { callsOf } from "../../src/webhooks/calls/CallBodies.ts";

const receiver = (batch: boolean) => ({
  workspaceId: 1,
  environment: "sandbox" as const,
  id: "01980a6c-5d21-7b3e-9a41-3f1f5d7a2b80",
  workspace: "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60",
  batch,
});

const rows = (count: number, text = "x") =>
  Array.from({ length: count }, (_, index) => ({
    webhookId: "w",
    id: `01980a6c-5d21-8b3e-9a41-${String(index).padStart(12, "0")}`,
    type: "location.entered",
    recordedAt: 0,
    data: `{"text":"${text}"}`,
  }));

describe("Bodies of calls", () => {
  it("a call carries one event, whose data has its environment and workspace (N2)", () => {
    const [call, ...more] = callsOf(receiver(false), rows(2), 0);
    assert.lengthOf(more, 1);
    assert.deepStrictEqual(JSON.parse(call?.body ?? ""), {
      id: call?.eventIds[0],
      type: "location.entered",
      timestamp: "1970-01-01T00:00:00+00:00",
      data: { text: "x", environment: "sandbox", workspace_id: "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60" },
    });
  });

  it("a batch carries up to 500 events in order, and not much more than 500,000 characters (N3)", () => {
    const batches = callsOf(receiver(true), rows(1_203), 0);
    assert.deepStrictEqual(
      batches.map(({ eventIds }) => eventIds.length),
      [500, 500, 203],
    );
    const ids = batches.flatMap(({ body }) =>
      (JSON.parse(body) as { readonly data: ReadonlyArray<{ readonly id: string }> }).data.map(
        ({ id }) => id,
      ),
    );
    assert.deepStrictEqual(
      ids,
      batches.flatMap(({ eventIds }) => eventIds),
    );
    const large = callsOf(receiver(true), rows(5, "y".repeat(300_000)), 0);
    assert.deepStrictEqual(
      large.map(({ eventIds }) => eventIds.length),
      [1, 1, 1, 1, 1],
    );
  });
});
