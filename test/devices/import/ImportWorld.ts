import { Effect } from "effect";
import { givenWorkspace } from "../../given/GivenWorkspace.ts";

/** A workspace with requests that import devices into its Production environment. */
export const importWorld = Effect.gen(function* () {
  const all = yield* givenWorkspace();
  const { waypost, workspace } = all;
  const path = `/workspaces/${workspace.id}/production/devices`;
  const send = (text: string | Uint8Array, type: string) =>
    waypost.operator(`${path}/import`, {
      method: "POST",
      body: text,
      headers: { "content-type": type },
    });
  const outcome = (results: ReadonlyArray<any>) =>
    results.map(({ index, reasons, status }) => [index, status, reasons]);
  return {
    ...all,
    lines: (rows: ReadonlyArray<unknown>) =>
      send(
        rows.map((row) => (typeof row === "string" ? row : JSON.stringify(row))).join("\n"),
        "application/x-ndjson",
      ),
    csv: (text: string) => send(text, "text/csv; charset=utf-8"),
    send,
    outcome,
    devices: Effect.map(waypost.operator(`${path}?limit=100`), ({ body }) => body.data.toReversed()),
  };
});
