/** Runs rule tests in the format of `promtool test rules`. */
import { evaluate, type Element, keyOf, type Labels, type Series, withoutName } from "./PromQlEvaluation.ts";
import { type Expression, parsePromQl, secondsOf } from "./PromQlParser.ts";

export interface AlertRule {
  readonly alert: string;
  readonly expression: Expression;
  readonly forSeconds: number;
  readonly labels: Labels;
  readonly annotations: Readonly<Record<string, string>>;
}

/** An alert that fires, as `promtool` expects it. */
export interface ShownAlert {
  readonly exp_labels: Labels;
  readonly exp_annotations: Readonly<Record<string, string>>;
}

export interface RuleTest {
  readonly name: string;
  readonly interval: string;
  readonly input_series: ReadonlyArray<{ readonly series: string; readonly values: string }>;
  readonly alert_rule_test: ReadonlyArray<{
    readonly eval_time: string;
    readonly alertname: string;
    readonly exp_alerts: ReadonlyArray<ShownAlert>;
  }>;
}

const stepSeconds = 60;

/**
 * Reads alerts.yml, which has one form: `- alert`, `expr` on one line or as a block, `for`, and the texts.
 */
export const readAlertRules = (yaml: string): ReadonlyArray<AlertRule> =>
  yaml
    .split(/^ {6}- (?=alert: )/m)
    .slice(1)
    .map((block) => {
      const one = (name: string): string => new RegExp(`^ *${name}: (.*)$`, "m").exec(block)?.[1] ?? "";
      const lines = /^ *expr: \|\n((?: {10}.*\n)+)/m.exec(block)?.[1];
      return {
        alert: one("alert"),
        expression: parsePromQl(lines ?? one("expr")),
        forSeconds: one("for") === "" ? 0 : secondsOf(one("for")),
        labels: { severity: /severity: (\w+)/.exec(one("labels"))?.[1] ?? "" },
        annotations: {
          summary: JSON.parse(one("summary")) as string,
          description: JSON.parse(one("description")) as string,
        },
      };
    });

/** The values of the notation of promtool: `1 2`, `3x4` (five times 3), `0+2x5`, `_` for none. */
const valuesOf = (notation: string): ReadonlyArray<number | null> =>
  notation.split(/\s+/).flatMap((item): ReadonlyArray<number | null> => {
    if (item === "_") return [null];
    const [, start = "", step = "0", times] = /^(-?[\d.]+)([+-][\d.]+)?(?:x(\d+))?$/.exec(item) ?? [];
    if (start === "") throw new Error(`"${item}" is no value`);
    return Array.from({ length: Number(times ?? 0) + 1 }, (_, index) => Number(start) + Number(step) * index);
  });

const seriesOf = ({ input_series, interval }: RuleTest): ReadonlyArray<Series> =>
  input_series.map(({ series, values }) => {
    const selector = parsePromQl(series);
    if (selector._tag !== "Selector") throw new Error(`"${series}" is no series`);
    const labels = Object.fromEntries(selector.matchers.map(({ label, value }) => [label, value]));
    return {
      labels: { ...labels, __name__: selector.name },
      samples: valuesOf(values).flatMap((value, index) =>
        value === null ? [] : [[index * secondsOf(interval), value] as const],
      ),
    };
  });

const render = (template: string, { labels, value }: Element): string =>
  template.replaceAll(/\{\{ \$(?:labels\.(\w+)|value) \}\}/g, (_, label: string | undefined) =>
    label === undefined ? String(value) : (labels[label] ?? ""),
  );

/** The alerts of a rule that fire at a time, in seconds: those whose expression has held for long enough. */
const alertsAt = (
  rule: AlertRule,
  series: ReadonlyArray<Series>,
  time: number,
): ReadonlyArray<ShownAlert> => {
  let since = new Map<string, number>();
  let elements: ReadonlyArray<Element> = [];
  for (let at = 0; at <= time; at += stepSeconds) {
    elements = evaluate(rule.expression, series, at);
    since = new Map(elements.map((each) => [keyOf(each.labels), since.get(keyOf(each.labels)) ?? at]));
  }
  return elements
    .filter((each) => time - (since.get(keyOf(each.labels)) ?? time) >= rule.forSeconds)
    .map((each) => {
      const labels = withoutName(each.labels);
      return {
        exp_labels: { ...labels, ...rule.labels },
        exp_annotations: Object.fromEntries(
          Object.entries(rule.annotations).map(([name, text]) => [name, render(text, each)]),
        ),
      };
    });
};

/** The alerts that fire at each time that the test checks, and those it expects. */
export const runRuleTest = (rules: ReadonlyArray<AlertRule>, test: RuleTest) => {
  const series = seriesOf(test);
  return test.alert_rule_test.map(({ alertname, eval_time, exp_alerts }) => {
    const rule = rules.find(({ alert }) => alert === alertname);
    if (rule === undefined) throw new Error(`There is no alert ${alertname}`);
    return { time: eval_time, fired: alertsAt(rule, series, secondsOf(eval_time)), expected: exp_alerts };
  });
};
