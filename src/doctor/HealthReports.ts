import { Clock, Context, Effect, Layer, Semaphore } from "effect";
import { FetchHttpClient, type HttpClient } from "effect/http";
import type { SettingsRecord } from "../config/Settings.ts";
import { serverDoctor } from "./Doctor.ts";
import type { HealthReport } from "./HealthCheck.ts";

/** The variables with which the process was started. Their values are in no finding. */
export const StartVariables = Context.Reference<SettingsRecord>("waypost/doctor/StartVariables", {
  defaultValue: () => ({}),
});

/** The clock of this machine, which a check compares with the database's; services go by the database's. */
const machineClock = Context.get(Context.empty(), Clock.Clock);

/** A report younger than this is given again: its checks start a media worker and connect to services. */
const maxAgeMillis = 5_000;

/** The server's facts that the checks need. */
type Needs = Exclude<Effect.Services<ReturnType<typeof serverDoctor>>, HttpClient.HttpClient>;

/** The report of `waypost doctor` on the installation, from within its server (contract S7). */
export class HealthReports extends Context.Service<HealthReports>()("waypost/doctor/HealthReports", {
  make: Effect.gen(function* () {
    const services = yield* Effect.context<Needs>();
    const variables = yield* StartVariables;
    const semaphore = yield* Semaphore.make(1);
    let last: { readonly at: number; readonly report: HealthReport } | null = null;

    const run = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis;
      if (last !== null && now - last.at < maxAgeMillis) return last.report;
      const findings = yield* serverDoctor(variables);
      const report: HealthReport = { ok: findings.every(({ verdict }) => verdict !== "problem"), findings };
      last = { at: yield* Clock.currentTimeMillis, report };
      return report;
    });

    return {
      /** The findings now, or those of the last seconds. One report is made at a time. */
      report: semaphore
        .withPermit(run)
        .pipe(
          Effect.provideService(Clock.Clock, machineClock),
          Effect.provide(FetchHttpClient.layer),
          Effect.provide(services),
          Effect.withSpan("HealthReports.report"),
        ),
    };
  }),
}) {
  static readonly layer = Layer.effect(HealthReports, HealthReports.make);
}
