import { afterEach, assert, describe, it, vi } from "@effect/vitest";
import { noteRequest } from "../../../src/database/RecentWorkspaces.ts";
import { ImportBatch } from "../../../src/devices/import/ImportBatch.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** The number of rows at which a batch of workspace 1 is full. */
const rowsOfBatch = (): number => {
  const batch = new ImportBatch();
  while (!batch.isFullFor(1)) batch.add({ installationId: null, reasons: [] });
  return batch.rows.length;
};

describe("ImportBatch", () => {
  it("beside other workspaces a batch has a quarter of its rows (running.neighbours)", () => {
    let now = 20_000;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    noteRequest(2);
    noteRequest(1);
    assert.strictEqual(rowsOfBatch(), 500);
    now += 1_000;
    noteRequest(1);
    assert.strictEqual(rowsOfBatch(), 2_000);
  });
});
