import { Clock, Effect, Option } from "effect";
import { HttpClient } from "effect/http";
import type { Settings } from "../config/Settings.ts";
import { publishedServer } from "../operator/ServerFile.ts";
import { runCheck, fine, type Observation, problem, warning } from "./HealthCheck.ts";
import { checkClocks } from "./ClockHealthCheck.ts";

/** A `Date` header is cut to the second. */
const dateAccuracy = 1_000;

const ask = Effect.fnUntraced(function* (url: string) {
  const response = yield* HttpClient.get(url);
  const now = yield* Clock.currentTimeMillis;
  return {
    status: response.status,
    date: response.headers["date"],
    now,
    text: (yield* response.text).trim(),
  };
});

const clockOf = (date: string | undefined, now: number): ReadonlyArray<Observation> => {
  const there = Date.parse(date ?? "");
  if (Number.isNaN(there)) return [];
  const judged = checkClocks("the server", there + dateAccuracy / 2 - now, dateAccuracy);
  return judged.verdict === "ok" ? [] : [judged];
};

/** The Waypost that runs on this data directory, or should: whether it answers, and is ready. `isHeld` says that a process holds the directory. */
export const serverHealthCheck = ({ dataDir }: Settings["Service"], isHeld: boolean | null) =>
  runCheck(
    "server",
    "health",
    Effect.gen(function* () {
      const url = publishedServer(dataDir);
      if (Option.isNone(url)) {
        return isHeld === true
          ? warning(
              `A process holds ${dataDir}, and does not listen (yet).`,
              "Wait for its start to end; if it does not, look at the end of its log.",
            )
          : warning(`No Waypost runs on ${dataDir}.`, "Start it: waypost serve.");
      }
      const answers = yield* Effect.result(
        Effect.all([ask(`${url.value}/health/live`), ask(`${url.value}/health/ready`)]),
      );
      if (answers._tag === "Failure") {
        return isHeld === false
          ? warning(
              `No Waypost runs on ${dataDir}; the last one was ended without a chance to say so.`,
              "Start it: waypost serve.",
            )
          : problem(
              `The Waypost of ${dataDir} should listen on ${url.value}, and does not answer.`,
              "Look at the end of its log; if it hangs, stop and start it.",
            );
      }
      const [live, ready] = answers.success;
      const health =
        live.status === 200 && ready.status === 200
          ? fine(`${url.value} answers, and is ready.`)
          : problem(
              `${url.value} answers ${ready.status} on /health/ready: ${ready.text.slice(0, 100)}.`,
              "Its database is away: see below.",
            );
      return [health, ...clockOf(live.date, live.now)];
    }),
  );
