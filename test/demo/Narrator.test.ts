import { assert, describe, it } from "@effect/vitest";
import { Console, Effect } from "effect";
import { Narrator } from "../../src/demo/Narrator.ts";

const printed = (print: (narrator: Narrator) => Effect.Effect<void>) => {
  const lines: Array<string> = [];
  const listener = { ...globalThis.console, log: (text: string) => void lines.push(...text.split("\n")) };
  return Effect.as(
    Effect.provideService(print(new Narrator((heading) => heading)), Console.Console, listener),
    lines,
  );
};

const request = { method: "GET", base: "API", path: "/campaigns", credential: "TOKEN" };

describe("the narrator of the demo", () => {
  it.effect("the narrator prints a request as a curl command, and its response", () =>
    Effect.gen(function* () {
      const lines = yield* printed((narrator) =>
        narrator.exchange({ ...request, method: "POST", body: { name: "Coffee" } }, 201, {
          status: "active",
        }),
      );
      assert.deepStrictEqual(lines, [
        "",
        `  $ curl -X POST $API/campaigns -H "Authorization: Bearer $TOKEN" --json '{"name":"Coffee"}'`,
        `  201 {"status":"active"}`,
      ]);
    }),
  );

  it.effect("the narrator breaks long JSON into lines of a hundred characters that are the same JSON", () =>
    Effect.gen(function* () {
      const word = `${"x".repeat(20)} and ${"y".repeat(9)}`;
      const response = {
        words: Array.from({ length: 9 }, () => word),
        rows: [
          { word, id: 1 },
          { word, id: [word, [word]] },
        ],
      };
      const [, , first = "", ...rest] = yield* printed((narrator) =>
        narrator.exchange(request, 200, response),
      );
      assert.isTrue([first, ...rest].every((line) => line.length <= 100));
      assert.deepStrictEqual(JSON.parse([first.slice("  200 ".length), ...rest].join("\n")), response);
    }),
  );

  it.effect("a table of the narrator aligns numbers to the right and texts to the left", () =>
    Effect.gen(function* () {
      const lines = yield* printed((narrator) =>
        narrator.table(
          ["name", "delivered"],
          [
            ["Coffee", 1],
            ["Tea", 200],
          ],
        ),
      );
      assert.deepStrictEqual(lines, [
        "",
        "  name     delivered",
        "  ──────   ─────────",
        "  Coffee           1",
        "  Tea            200",
      ]);
    }),
  );
});
