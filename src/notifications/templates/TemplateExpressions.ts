/** Compiles the expressions of a template, as `liquidjs` parses them, to functions. */
import { type Expression, type Filter, type Token, TokenKind, type Value } from "liquidjs";
import { applyFilter, type TemplateFilter, templateFilters } from "./TemplateFilters.ts";
import { lengthOf, type TemplateRun, type TemplateValue } from "./TemplateRun.ts";
import { type PathPart, unknownVariable, variableName, variableOf } from "./TemplateVariables.ts";

/** Evaluates an expression. */
export type Evaluate = (run: TemplateRun) => Operand;

/** The literals `empty` and `blank` of Liquid, which only comparisons know. */
const empty = Symbol("empty");
const blank = Symbol("blank");
type Operand = TemplateValue | typeof empty | typeof blank;

/** A part of the template that is not allowed. */
export interface TemplateProblem {
  readonly line: number;
  readonly reason: string;
}

/** Reports a problem at a token, and notes the variables that are read. */
export interface Refuse {
  (token: Token, reason: string): void;
  readonly variables: Set<string>;
}

/** Of the tokens that are read here; `liquidjs` has types for few of them. */
interface ParsedToken extends Token {
  readonly content?: unknown;
  readonly literal?: string;
  readonly operator?: string;
  readonly variable?: Token;
  readonly props?: ReadonlyArray<ParsedToken>;
}

const literals: { readonly [literal: string]: Operand } = {
  true: true,
  false: false,
  nil: null,
  null: null,
  empty,
  blank,
};

/** As a value for a filter or for output: `empty` and `blank` are no text. */
export const plain = (operand: Operand): TemplateValue => (typeof operand === "symbol" ? "" : operand);

/** Whether a condition holds: all but false and missing values do. */
export const isTrue = (operand: Operand): boolean =>
  operand !== false && operand !== null && operand !== undefined;

const isEmpty = (value: Operand): boolean =>
  value === "" || (typeof value === "object" && value !== null && value.length === 0);
const isBlank = (value: Operand): boolean =>
  !isTrue(value) || isEmpty(value) || (typeof value === "string" && value.trim() === "");

/** Whether two operands are equal. */
export const isEqual = (left: Operand, right: Operand): boolean => {
  if (left === empty || right === empty) return isEmpty(left === empty ? right : left);
  if (left === blank || right === blank) return isBlank(left === blank ? right : left);
  if (typeof left === "object" && typeof right === "object" && left !== null && right !== null)
    return left.length === right.length && left.every((text, index) => text === right[index]);
  return (left ?? null) === (right ?? null);
};

const compared =
  (compare: (left: string | number, right: string | number) => boolean) =>
  (left: Operand, right: Operand): boolean =>
    typeof left !== "symbol" &&
    typeof right !== "symbol" &&
    (left ?? null) !== null &&
    (right ?? null) !== null
      ? compare(left as string | number, right as string | number)
      : false;

const contains = (left: Operand, right: Operand): boolean => {
  if (typeof left === "string") return left.includes(String(plain(right)));
  return typeof left === "object" && left !== null && left.includes(right as string);
};

const operators: { readonly [operator: string]: (left: Operand, right: Operand) => boolean } = {
  "==": isEqual,
  "!=": (left, right) => !isEqual(left, right),
  ">": compared((left, right) => left > right),
  "<": compared((left, right) => left < right),
  ">=": compared((left, right) => left >= right),
  "<=": compared((left, right) => left <= right),
  contains,
  and: (left, right) => isTrue(left) && isTrue(right),
  or: (left, right) => isTrue(left) || isTrue(right),
};

/** Compiles a value: a literal or a variable. */
export const compileToken = (token: Token | undefined, refuse: Refuse): Evaluate => {
  const parsed = token as ParsedToken;
  switch (parsed.kind) {
    case TokenKind.Literal: {
      const literal = literals[parsed.literal ?? ""];
      return () => literal;
    }
    case TokenKind.Quoted:
    case TokenKind.Number: {
      const value = parsed.content as string | number;
      return () => value;
    }
    case TokenKind.PropertyAccess:
      return compileVariable(parsed, refuse);
    default:
      refuse(parsed, `${parsed.getText()} is not a value: use a text, a number or a variable`);
      return () => null;
  }
};

const compileVariable = (token: ParsedToken, refuse: Refuse, isInner = false): Evaluate => {
  const path = (token.props ?? []).map((part): PathPart => {
    if (part.kind !== TokenKind.PropertyAccess) return part.content as string | number;
    if (isInner) refuse(part, "brackets in brackets are not supported");
    if (isInner) return "";
    const evaluate = compileVariable(part, refuse, true);
    return (run) => plain(evaluate(run));
  });
  const read = token.variable === undefined ? variableOf(path) : null;
  refuse.variables.add(variableName(path));
  if (read !== null) return read;
  refuse(token, unknownVariable(token.getText().slice(0, maxNameShown)));
  return () => null;
};

/** The most characters of an unknown name that a problem shows. */
const maxNameShown = 100;

/** Bounds how deep the functions of an expression call each other. */
const maxOperands = 100;
const tooLong = `values and operators may be up to ${maxOperands} together`;

const compileExpression = ({ postfix }: Expression, refuse: Refuse): Evaluate => {
  const operands: Array<Evaluate> = [];
  if (postfix.length > maxOperands) {
    refuse(postfix[0] as Token, `an expression is too long: ${tooLong}`);
    return () => null;
  }
  for (const token of postfix) {
    const { kind, operator = "" } = token as ParsedToken;
    const right = kind === TokenKind.Operator ? operands.pop() : undefined;
    if (right === undefined) operands.push(compileToken(token, refuse));
    else if (operator === "not") operands.push((run) => !isTrue(right(run)));
    else {
      const left = operands.pop();
      const apply = operators[operator];
      if (left === undefined || apply === undefined) refuse(token, `${operator} has no value to its left`);
      else operands.push((run) => counted(run, left(run), right(run), apply));
    }
  }
  const [result] = operands;
  return result ?? (() => null);
};

/** A comparison is a step, and one more for every 4 characters that it reads. */
const counted = (
  run: TemplateRun,
  left: Operand,
  right: Operand,
  apply: (left: Operand, right: Operand) => boolean,
): boolean => {
  run.count(1 + Math.floor(lengthOf(plain(left)) / 4));
  return apply(left, right);
};

/** A filter of a value, with its arguments. */
interface FilterCall {
  readonly filter: TemplateFilter;
  readonly args: ReadonlyArray<Evaluate>;
  /** Whether the arguments are the same in every rendering. */
  readonly isFixed: boolean;
  /** Of fixed arguments: their values, once they were evaluated. */
  values?: ReadonlyArray<TemplateValue>;
}

const compileFilter = ({ args, name }: Filter, token: Token, refuse: Refuse): FilterCall => {
  const filter = templateFilters.get(name);
  // The parser has refused unknown filters.
  if (filter === undefined) throw new Error(`The filter ${name} is unknown`);
  const [min, max] = filter.arguments;
  const unnamed = args.filter((arg) => !Array.isArray(arg)).length;
  if (unnamed < min || unnamed > max) refuse(token, `the filter ${name} takes ${argumentCount(min, max)}`);
  const compiled = args.map((arg) => {
    if (!Array.isArray(arg)) return compileToken(arg, refuse);
    if (name !== "default" || arg[0] !== "allow_false")
      refuse(token, `the filter ${name} takes no argument ${arg[0]}`);
    return compileToken(arg[1], refuse);
  });
  const isFixed = args.every((arg) => !Array.isArray(arg) && arg.kind !== TokenKind.PropertyAccess);
  return { filter, args: compiled, isFixed };
};

const valuesOf = (call: FilterCall, run: TemplateRun): ReadonlyArray<TemplateValue> => {
  if (call.values !== undefined) return call.values;
  const values = call.args.map((each) => plain(each(run)));
  if (call.isFixed) call.values = values;
  return values;
};

/** Compiles a value with its filters. */
export const compileValue = ({ filters, initial }: Value, token: Token, refuse: Refuse): Evaluate => {
  const evaluate = compileExpression(initial, refuse);
  if (filters.length === 0) return evaluate;
  const calls = filters.map((filter) => compileFilter(filter, token, refuse));
  return (run) => {
    let value = plain(evaluate(run));
    for (const call of calls) value = applyFilter(call.filter, run, value, valuesOf(call, run));
    return value;
  };
};

const argumentCount = (min: number, max: number): string => {
  if (max === 0) return "no argument";
  if (min === max) return min === 1 ? "one argument" : `${min} arguments`;
  return min === 0 && max === 1 ? "at most one argument" : `${min} to ${max} arguments`;
};
