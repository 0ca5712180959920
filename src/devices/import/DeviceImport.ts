import { Schema } from "effect";
import { shownId, shownInteger } from "../../wire/ShownFields.ts";

/** Rows whose results are all listed; of those behind them only the failed ones are. */
export const maxListedRows = 10_000;

/** Limits of an import's body: CSV or lines of JSON. */
export const deviceImportRules = {
  maxBytes: 4 * 1_073_741_824,
  contentTypes: ["text/csv", "application/x-ndjson", "application/ndjson", "application/jsonl"],
  isStreamed: true,
};

/** The result of one row. */
export const DeviceImportResult = Schema.Struct({
  index: shownInteger("Number of the row, from 0, without the header row and empty lines.", 0),
  status: Schema.Literals(["created", "updated", "failed"]).annotate({
    description: "failed: see the reasons.",
    examples: ["created"],
  }),
  installation_id: Schema.NullOr(Schema.String).annotate({
    description: "The installation of the row; null if it has no valid one.",
    examples: ["5f0c1b1e-3a43-4b0e-9f8e-6a3b1d2c4e5f"],
  }),
  id: Schema.optionalKey(
    shownId("Id of the device; absent if the row failed.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"),
  ),
  reasons: Schema.NullOr(Schema.Array(Schema.String)).annotate({
    description: "Why the row failed, as sentences; null otherwise.",
    examples: [["The timezone must be an IANA time zone such as Europe/Amsterdam."]],
  }),
});
export type DeviceImportResult = typeof DeviceImportResult.Type;

const rowCount = (what: string, example: number) => shownInteger(`How many rows ${what}.`, example);

/** The response of an import. */
export const DeviceImportReport = Schema.Struct({
  results: Schema.Array(DeviceImportResult).annotate({
    description: "The results of the first 10,000 rows, and of the failed ones behind them, in their order.",
  }),
  summary: Schema.Struct({
    created: rowCount("created a device", 1),
    updated: rowCount("updated one", 0),
    skipped: rowCount("were skipped: always 0", 0),
    failed: rowCount("failed", 0),
  }),
}).annotate({ identifier: "DeviceImportReport" });
