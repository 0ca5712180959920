import { assert, describe, it } from "@effect/vitest";
import { pageOf, replaced, unmarked, withFigures } from "../../scripts/bench/BenchPages.ts";
import { figureLine, isMissed, type Row } from "../../scripts/bench/Figure.ts";
import { maxLoad, quietLoad } from "../../scripts/bench/Machine.ts";
import { statedOf } from "../../scripts/bench/Rounds.ts";

const rowOf = (id: string, load = 0.1): Row => ({
  ...statedOf(id, "events", "a second", [20, 30, 40], { beside: ["bare", [40, 40, 50]], atLeast: 0.8 }),
  date: "2026-11-29",
  commit: "abc",
  machine: "two cores",
  load,
  source: { "src/events": "1" },
});
const page = "Head\n\n<!-- tables -->\n\nold\n\n<!-- /tables -->\n\nNotes\n";
const pageWith = (row: Row, hash = "1") =>
  pageOf([row], { events: { subject: "Requests" } }, page, { "src/events": hash });

describe("figures of benches", () => {
  it("the ratio is that of the rounds, and has the bar if there is a baseline", () => {
    const stated = rowOf("events.a");
    assert.deepInclude(stated, { value: 30, baselineValue: 40, ratio: 0.75, spread: [0.5, 0.8] });
    assert.isTrue(isMissed(stated));
    assert.include(figureLine(stated), "30 a second (ratio 0.75; 0.5 to 0.8; at least 0.8, missed; bare: 40");
  });

  it("without a baseline the bar is that of the value, and one round has no spread", () => {
    assert.isTrue(isMissed(statedOf("a", "wait", "ms", 12, { atMost: 10 })));
    assert.notProperty(statedOf("a", "wait", "ms", 12), "spread");
  });

  it("the value has a bar of its own beside that of the ratio", () => {
    const limits = { beside: ["plain", 100], atMost: 0.5, valueAtMost: 10 } as const;
    assert.isFalse(isMissed(statedOf("a", "read", "ms", 10, limits)));
    assert.isTrue(isMissed(statedOf("a", "read", "ms", 11, limits)));
  });

  it("the page has the tables by subject, and keeps what surrounds them", () => {
    const text = pageWith(rowOf("events.a"));
    const cells =
      "events.a` | events | 0.75 | 0.5 to 0.8 | at least 0.8, **missed** | bare: 40 a second | 30";
    assert.include(text, cells);
    assert.match(text, /^Head\n\n<!-- tables -->\n\n- \*\*A\*\*: two cores\n\n## Requests\n\n\| figure/);
    assert.match(text, /\n\n<!-- \/tables -->\n\nNotes\n$/);
    assert.notInclude(text, "old");
  });

  it("older source and a loaded machine are marked, and the check ignores the source", () => {
    const [same, other] = [pageWith(rowOf("events.a")), pageWith(rowOf("events.a"), "2")];
    assert.include(other, "A; older source |");
    assert.strictEqual(unmarked(other), unmarked(same));
    assert.include(pageWith(rowOf("events.a", 3)), "A; loaded (3) |");
  });

  it("a block of another page has the value or the ratio, and an unknown figure is an error", () => {
    const written = (text: string, hash = "1") =>
      withFigures(text, [rowOf("events.a")], { "src/events": hash });
    const end = "<!-- /figure -->";
    const [value, ratio] = ["at <!-- figure: events.a -->", "at <!-- figure: events.a ratio -->"];
    assert.strictEqual(written(`${value}7${end}.`), `${value}30 a second${end}.`);
    assert.strictEqual(written(`${ratio}${end}`, "2"), `${ratio}0.75 (older source)${end}`);
    assert.throws(() => written(`at <!-- figure: events.b -->${end}`), "no figure events.b");
    assert.throws(() => written(`<!-- figure: events.a -->${end}`), "put words before it");
  });

  it("a run replaces the figures of its benches only, in the order of the benches", () => {
    const rows = [rowOf("b.1"), rowOf("a.1"), rowOf("a.2")];
    const ids = replaced(rows, "a", [rowOf("a.3")], ["a", "b"]).map(({ id }) => id);
    assert.deepStrictEqual(ids, ["a.3", "b.1"]);
  });

  it("a run waits a minute for a loaded machine, and gives its load", async () => {
    const load = (loads: ReadonlyArray<number>) => {
      let waits = 0;
      const wait = () => Promise.resolve(waits++);
      return quietLoad(() => loads[waits] ?? 9, wait).then((last) => [last, waits]);
    };
    assert.deepStrictEqual(await load([maxLoad]), [maxLoad, 0]);
    assert.deepStrictEqual(await load([2, 1, 0.4]), [0.4, 2]);
    assert.deepStrictEqual(await load([]), [9, 6]);
  });
});
