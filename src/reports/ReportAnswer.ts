import { Effect, type Scope } from "effect";
import { HttpServerRequest, type HttpServerResponse } from "effect/http";
import { CsvExports } from "../http/csv/CsvExports.ts";
import { wantsCsv } from "../http/csv/CsvParameters.ts";
import { textUnlessKnown } from "../http/EntityTag.ts";
import type { ServiceUnavailable, Unprocessable } from "../wire/ApiError.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { reportFile, type ReportName } from "./ReportCsv.ts";
import type { SentParameters } from "./ReportQuery.ts";
import { Reports } from "./Reports.ts";

type Answer = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  Unprocessable | ServiceUnavailable,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>;

/**
 * Reports as responses: as CSV where that is asked for, else as JSON, or 304 if the client has it. Caches
 * must revalidate it each time.
 */
export const reportAnswers = Effect.map(
  Effect.all([Reports, CsvExports]),
  ([reports, exports]) =>
    (report: ReportName, tenant: Tenant, query: SentParameters): Answer =>
      Effect.gen(function* () {
        const isCsv = yield* wantsCsv;
        const text = yield* reports[report](tenant, query);
        if (isCsv) return yield* exports.send(tenant.workspaceId, reportFile(report, tenant, text));
        const { headers } = yield* HttpServerRequest.HttpServerRequest;
        return textUnlessKnown(headers["if-none-match"], text);
      }),
);
