import { assert, describe, it } from "@effect/vitest";
import { Effect, Metric } from "effect";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import "../../src/telemetry/Telemetry.ts";
import "../../src/Waypost.ts";
import { startKnownSeries } from "../../src/telemetry/KnownSeries.ts";
import { readAlertRules, type RuleTest, runRuleTest } from "./alerts/AlertRules.ts";
import { meets, selectorsOf } from "./alerts/PromQlParser.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

const rules = readAlertRules(read("docs/operating/alerts.yml"));
const ruleTests: ReadonlyArray<RuleTest> = JSON.parse(read("docs/operating/alerts.test.json")).tests;

/** The metrics that a process has before anything has happened. */
const freshMetrics = Effect.runSync(
  Effect.andThen(startKnownSeries, Metric.snapshot).pipe(
    Effect.provideService(Metric.MetricRegistry, new Map()),
  ),
);

const normalized = (alerts: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  alerts.map((each) => JSON.stringify(each, (_, value: unknown) => sorted(value))).toSorted();
const sorted = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;

describe("alert rules", () => {
  // PromQlEvaluation.ts evaluates the part of PromQL that the rules use. `promtool test rules
  // docs/operating/alerts.test.json` runs the same tests by Prometheus itself.
  it("every rule test has the alerts that it expects, at each of its times (running.alerts)", () => {
    for (const test of ruleTests)
      for (const { expected, fired, time } of runRuleTest(rules, test))
        assert.deepStrictEqual(normalized(fired), normalized(expected), `${test.name}, at ${time}`);
  });

  it("every alert rule has a time at which it fires, and one at which it does not (running.alerts)", () => {
    assert.isAbove(rules.length, 35);
    const checks = ruleTests.flatMap((test) => test.alert_rule_test);
    const missing = rules.flatMap(({ alert }) => {
      const own = checks.filter(({ alertname }) => alertname === alert);
      const fires = own.some(({ exp_alerts }) => exp_alerts.length > 0);
      const rests = own.some(({ exp_alerts }) => exp_alerts.length === 0);
      return fires && rests ? [] : [alert];
    });
    assert.deepStrictEqual(missing, []);
  });

  it("a fresh process has every counter and bucket that an alert watches, at 0 (running.metrics)", () => {
    const missing = rules.flatMap(({ alert, expression }) =>
      selectorsOf(expression)
        .filter(({ name }) => /_(total|bucket)$/.test(name))
        .filter(
          ({ matchers, name }) =>
            !freshMetrics.some(
              ({ attributes, id }) =>
                id === name.replace(/_bucket$/, "") && meets({ ...attributes }, matchers),
            ),
        )
        .map(({ name }) => `${alert}: ${name}`),
    );
    assert.deepStrictEqual(missing, []);
    for (const { id, state } of freshMetrics)
      assert.strictEqual("count" in state ? Number(state.count) : Number(state), 0, id);
  });

  it("every counter and every histogram of the code starts at 0 (running.metrics)", () => {
    const undeclared = globSync("src/**/*.ts", { cwd: root }).flatMap((path) =>
      [...read(path).matchAll(/(knownSeries\(\s*)?Metric\.(?:counter|histogram)\(\s*"(\w+)"/g)]
        .filter(([, declared]) => declared === undefined)
        .map(([, , name]) => `${path}: ${name}`),
    );
    assert.deepStrictEqual(undeclared, []);
    const names = new Set(freshMetrics.map(({ id }) => id));
    const counters = globSync("src/**/*.ts", { cwd: root }).flatMap((path) =>
      [...read(path).matchAll(/Metric\.(?:counter|histogram)\(\s*"(\w+)"/g)].map(([, name = ""]) => name),
    );
    assert.deepStrictEqual(
      counters.filter((name) => !names.has(name)),
      [],
    );
  });

  it("no metric has a label that Prometheus replaces by the target's own (running.alerts)", () => {
    const replaced = freshMetrics.filter(
      ({ attributes }) => attributes !== undefined && ("job" in attributes || "instance" in attributes),
    );
    assert.deepStrictEqual(
      replaced.map(({ id }) => id),
      [],
    );
    for (const { alert, expression } of rules)
      for (const { matchers, name } of selectorsOf(expression))
        if (name !== "up")
          assert.isFalse(
            matchers.some(({ label }) => label === "job"),
            alert,
          );
  });
});
