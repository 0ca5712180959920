import { assert } from "@effect/vitest";
import { Layer, Logger, References } from "effect";

/** Every line that was logged. */
export const logged: Array<string> = [];
/** Keeps every line in `logged`, as it is written to stderr, down to the least serious. */
export const captured = Layer.merge(
  Logger.layer([Logger.map(Logger.formatJson, (line) => logged.push(line))]),
  Layer.succeed(References.MinimumLogLevel, "Trace"),
);

/** No line holds any of the secrets, nor a telling piece of one. */
export const assertUnseen = (secrets: Readonly<Record<string, string>>) => {
  for (const [name, secret] of Object.entries(secrets)) {
    assert.isAbove(secret.length, 7, `${name} is no secret`);
    for (const piece of [secret, secret.slice(0, 24), secret.slice(-24)]) {
      const found = logged.find((line) => line.includes(piece) || line.includes(encodeURIComponent(piece)));
      assert.isUndefined(found, `${name} in the log`);
    }
  }
};
