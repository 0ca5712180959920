import { Effect } from "effect";
import { HttpServerRequest } from "effect/http";
import { Caller } from "../access/Caller.ts";
import { CsvExports } from "../http/csv/CsvExports.ts";
import { wantsCsv } from "../http/csv/CsvParameters.ts";
import { textUnlessKnown } from "../http/EntityTag.ts";
import { PlatformApi } from "../PlatformApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { reportFile, type ReportName } from "./ReportCsv.ts";
import type { SentParameters } from "./ReportQuery.ts";
import { Reports } from "./Reports.ts";

/** Handlers of `ReportsApi`. */
export const reportHandlers = handlerGroup(
  PlatformApi,
  "reports",
  Effect.fnUntraced(function* (handlers) {
    const reports = yield* Reports;
    const exports = yield* CsvExports;
    /** A report as CSV where that is asked for, else as JSON, or 304 if the client has it. */
    const answer = (report: ReportName) =>
      Effect.fnUntraced(function* ({ query }: { readonly query: SentParameters }) {
        const caller = yield* Caller;
        const isCsv = yield* wantsCsv;
        const text = yield* reports[report](caller, query);
        if (isCsv) {
          const file = reportFile(report, caller, text, query.by === "variant");
          return yield* exports.send(caller.workspaceId, file);
        }
        const { headers } = yield* HttpServerRequest.HttpServerRequest;
        return textUnlessKnown(headers["if-none-match"], text);
      });
    return handlers
      .handleRaw("summary", answer("summary"))
      .handleRaw("campaigns", answer("campaigns"))
      .handleRaw("locations", answer("locations"))
      .handleRaw("notifications", answer("notifications"))
      .handleRaw("interactions", answer("interactions"))
      .handleRaw("surveys", answer("surveys"));
  }),
);
