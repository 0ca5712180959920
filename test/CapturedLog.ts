import { assert } from "@effect/vitest";
import { Layer, Logger, References } from "effect";
import { jsonLine } from "../src/telemetry/LogLines.ts";
import { secretMask } from "../src/telemetry/SecretMasking.ts";

/** All logged lines. */
export const logged: Array<string> = [];
/** Collects log lines of every level in `logged`, as they are written to stderr. */
export const captured = Layer.merge(
  Logger.layer([Logger.map(jsonLine(secretMask()), (line) => logged.push(line))]),
  Layer.succeed(References.MinimumLogLevel, "Trace"),
);

/** Asserts that no line holds one of the secrets or the start or end of one. */
export const assertUnseen = (secrets: Readonly<Record<string, string>>) => {
  for (const [name, secret] of Object.entries(secrets)) {
    assert.isAbove(secret.length, 7, `${name} is too short for a secret`);
    for (const piece of [secret, secret.slice(0, 24), secret.slice(-24)]) {
      const found = logged.find((line) => line.includes(piece) || line.includes(encodeURIComponent(piece)));
      assert.isUndefined(found, `${name} in the log`);
    }
  }
};
