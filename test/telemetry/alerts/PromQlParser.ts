/** A parser of the part of PromQL that docs/operating/alerts.yml uses. It fails for any other expression. */

export interface Matcher {
  readonly label: string;
  readonly op: "=" | "!=" | "=~" | "!~";
  readonly value: string;
}

export type Expression =
  | { readonly _tag: "Number"; readonly value: number }
  | {
      readonly _tag: "Selector";
      readonly name: string;
      readonly matchers: ReadonlyArray<Matcher>;
      readonly rangeSeconds: number | null;
      readonly offsetSeconds: number;
    }
  | { readonly _tag: "Call"; readonly name: string; readonly args: ReadonlyArray<Expression> }
  | {
      readonly _tag: "Aggregation";
      readonly op: string;
      readonly by: ReadonlyArray<string>;
      readonly of: Expression;
    }
  | { readonly _tag: "Binary"; readonly op: string; readonly left: Expression; readonly right: Expression };

const tokenPattern = new RegExp(
  [
    String.raw`\s*(?:(\d+(?:\.\d+)?(?:e\d+)?)(?![a-z\d])`,
    String.raw`([A-Za-z_:][\w:]*)`,
    String.raw`("(?:[^"\\]|\\.)*")`,
    String.raw`(\[\d+[smhd]\]|\d+[smhd])`,
    String.raw`(=~|!~|!=|==|>=|<=|[-+*/><=(){},]))`,
  ].join("|"),
  "y",
);

const tokensOf = (text: string): ReadonlyArray<string> => {
  const tokens: Array<string> = [];
  const source = text.trimEnd();
  tokenPattern.lastIndex = 0;
  while (tokenPattern.lastIndex < source.length) {
    const at = tokenPattern.lastIndex;
    const match = tokenPattern.exec(source);
    if (match === null) throw new Error(`PromQL: cannot read "${source.slice(at, at + 20)}"`);
    tokens.push(match[0].trim());
  }
  return tokens;
};

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** The seconds of a duration such as `5m`. */
export const secondsOf = (duration: string): number => {
  const [, count = "", unit = ""] = /^\[?(\d+)([smhd])\]?$/.exec(duration) ?? [];
  const factor = unitSeconds[unit];
  if (factor === undefined) throw new Error(`PromQL: "${duration}" is no duration`);
  return Number(count) * factor;
};

/** Binary operators from the weakest to the strongest. */
const precedence = [["or"], ["and"], ["==", "!=", ">", "<", ">=", "<="], ["+", "-"], ["*", "/"]] as const;
const aggregations = new Set(["sum", "min", "max"]);

class Parser {
  readonly #tokens: ReadonlyArray<string>;
  #index = 0;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  get #next(): string {
    return this.#tokens[this.#index] ?? "";
  }

  #take(): string {
    return this.#tokens[this.#index++] ?? "";
  }

  #expect(token: string): void {
    const found = this.#take();
    if (found !== token) throw new Error(`PromQL: expected "${token}", found "${found}"`);
  }

  all(): Expression {
    const expression = this.#binary(0);
    if (this.#next !== "") throw new Error(`PromQL: unexpected "${this.#next}"`);
    return expression;
  }

  #binary(level: number): Expression {
    const operators: ReadonlyArray<string> | undefined = precedence[level];
    if (operators === undefined) return this.#operand();
    let left = this.#binary(level + 1);
    while (operators.includes(this.#next)) {
      const op = this.#take();
      left = { _tag: "Binary", op, left, right: this.#binary(level + 1) };
    }
    return left;
  }

  #list<A>(close: string, item: () => A): ReadonlyArray<A> {
    const items: Array<A> = [];
    while (this.#next !== close) {
      items.push(item());
      if (this.#next === ",") this.#take();
    }
    this.#expect(close);
    return items;
  }

  #operand(): Expression {
    const token = this.#take();
    if (token === "(") {
      const inner = this.#binary(0);
      this.#expect(")");
      return inner;
    }
    if (/^\d/.test(token)) return { _tag: "Number", value: Number(token) };
    if (aggregations.has(token)) {
      const by = this.#next === "by" ? this.#labels() : [];
      this.#expect("(");
      const inner = this.#binary(0);
      this.#expect(")");
      return { _tag: "Aggregation", op: token, by, of: inner };
    }
    if (this.#next === "(") {
      this.#take();
      return { _tag: "Call", name: token, args: this.#list(")", () => this.#binary(0)) };
    }
    return this.#selector(token);
  }

  #labels(): ReadonlyArray<string> {
    this.#expect("by");
    this.#expect("(");
    return this.#list(")", () => this.#take());
  }

  #selector(name: string): Expression {
    let matchers: ReadonlyArray<Matcher> = [];
    if (this.#next === "{") {
      this.#take();
      matchers = this.#list("}", () => {
        const label = this.#take();
        const op = this.#take() as Matcher["op"];
        return { label, op, value: JSON.parse(this.#take()) as string };
      });
    }
    const rangeSeconds = this.#next.startsWith("[") ? secondsOf(this.#take()) : null;
    let offsetSeconds = 0;
    if (this.#next === "offset") {
      this.#take();
      offsetSeconds = secondsOf(this.#take());
    }
    return { _tag: "Selector", name, matchers, rangeSeconds, offsetSeconds };
  }
}

/** Parses an expression. Throws for what the parser does not know. */
export const parsePromQl = (text: string): Expression => new Parser(text).all();

/** Whether labels meet all matchers. */
export const meets = (labels: Readonly<Record<string, string>>, matchers: ReadonlyArray<Matcher>): boolean =>
  matchers.every(({ label, op, value }) => {
    const found = labels[label] ?? "";
    if (op === "=") return found === value;
    if (op === "!=") return found !== value;
    return new RegExp(`^(?:${value})$`).test(found) === (op === "=~");
  });

/** Every selector in an expression. */
export const selectorsOf = (
  expression: Expression,
): ReadonlyArray<Extract<Expression, { readonly _tag: "Selector" }>> => {
  switch (expression._tag) {
    case "Number":
      return [];
    case "Selector":
      return [expression];
    case "Call":
      return expression.args.flatMap(selectorsOf);
    case "Aggregation":
      return selectorsOf(expression.of);
    case "Binary":
      return [...selectorsOf(expression.left), ...selectorsOf(expression.right)];
  }
};
