import { assert, describe, it } from "@effect/vitest";
import { Console, Effect } from "effect";
import { Narrator } from "../../src/demo/Narrator.ts";

const printed = (tell: (narrator: Narrator) => Effect.Effect<void>) => {
  const lines: Array<string> = [];
  const listener = { ...globalThis.console, log: (text: string) => void lines.push(...text.split("\n")) };
  return Effect.as(Effect.provideService(tell(new Narrator(false)), Console.Console, listener), lines);
};

const request = { method: "GET", base: "API", path: "/campaigns", credential: "TOKEN" };

describe("the narrator of the demo", () => {
  it.effect("shows a request as curl would send it, and its answer", () =>
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

  it.effect("breaks long JSON into lines of a hundred characters that read as the same JSON", () =>
    Effect.gen(function* () {
      const word = `${"x".repeat(20)} and ${"y".repeat(9)}`;
      const answer = {
        words: Array.from({ length: 9 }, () => word),
        rows: [
          { word, id: 1 },
          { word, id: [word, [word]] },
        ],
      };
      const [, , first = "", ...rest] = yield* printed((narrator) => narrator.exchange(request, 200, answer));
      assert.isTrue([first, ...rest].every((line) => line.length <= 100));
      assert.deepStrictEqual(JSON.parse([first.slice("  200 ".length), ...rest].join("\n")), answer);
    }),
  );

  it.effect("aligns numbers to the right and texts to the left", () =>
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
