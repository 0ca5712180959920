import { Clock, Effect, Option, Result } from "effect";
import { HttpClient } from "effect/http";
import type { SettingsService } from "../config/Settings.ts";
import { publishedServer } from "../operator/ServerFile.ts";
import { clockOutcome } from "./ClockHealthCheck.ts";
import { ok, type Outcome, problem, runCheck, warning } from "./HealthCheck.ts";

/** A `Date` header has whole seconds. */
const dateAccuracyMillis = 1_000;

const get = Effect.fnUntraced(function* (url: string) {
  const response = yield* HttpClient.get(url);
  return {
    status: response.status,
    date: response.headers["date"],
    receivedAt: yield* Clock.currentTimeMillis,
    text: (yield* response.text).trim(),
  };
});

/** The outcome for the server's clock, if it differs. */
const serverClock = (date: string | undefined, now: number): ReadonlyArray<Outcome> => {
  const remote = Date.parse(date ?? "");
  if (Number.isNaN(remote)) return [];
  const outcome = clockOutcome("the server", remote + dateAccuracyMillis / 2 - now, dateAccuracyMillis);
  return outcome.verdict === "ok" ? [] : [outcome];
};

/** Checks that the Waypost of this data directory is ready. `isHeld`: a process holds the directory. */
export const serverHealthCheck = ({ dataDir }: SettingsService, isHeld: boolean) =>
  runCheck(
    "server",
    "health",
    Effect.gen(function* () {
      const url = publishedServer(dataDir);
      if (Option.isNone(url)) {
        return isHeld
          ? warning(
              `A process holds ${dataDir} but does not listen yet.`,
              "Wait until it has started. If it does not start, read the end of its log.",
            )
          : warning(`No Waypost runs on ${dataDir}.`, "Start it: waypost serve.");
      }
      const responses = yield* Effect.result(
        Effect.all([get(`${url.value}/health/live`), get(`${url.value}/health/ready`)]),
      );
      if (Result.isFailure(responses)) {
        return isHeld
          ? problem(
              `The Waypost of ${dataDir} should listen on ${url.value}, but does not respond.`,
              "Read the end of its log. If it hangs, restart it.",
            )
          : warning(
              `No Waypost runs on ${dataDir}; the last one was killed or crashed.`,
              "Start it: waypost serve.",
            );
      }
      const [live, ready] = responses.success;
      const health =
        live.status === 200 && ready.status === 200
          ? ok(`${url.value} responds and is ready.`)
          : problem(
              `${url.value} responds with ${ready.status} on /health/ready: ${ready.text.slice(0, 100)}.`,
              "Its database is unavailable: see the findings on the database.",
            );
      return [health, ...serverClock(live.date, live.receivedAt)];
    }),
  );
