/** Templates of messages in Liquid: parsed and checked once, rendered for each device (contract O1, O1.4). */
import {
  CaseTag,
  CommentTag,
  IfTag,
  Liquid,
  Output,
  Parser,
  RawTag,
  type Template as ParsedNode,
  type Token,
  Tokenizer,
  TokenKind,
  UnlessTag,
  type Value,
} from "liquidjs";
import {
  compileToken,
  compileValue,
  isEqual,
  isTrue,
  plain,
  type Refuse,
  type TemplateProblem,
} from "./TemplateExpressions.ts";
import { templateFilters } from "./TemplateFilters.ts";
import { countTags, hasTooManyParts, maxTags, tooMuch } from "./TemplateLimits.ts";
import { LimitPassed, TemplateRun, type TemplateValues, textOf } from "./TemplateRun.ts";

/** The result of a rendering. `reason` completes a sentence that begins with the name of the field. */
export type Rendering =
  { readonly _tag: "Rendered"; readonly text: string } | { readonly _tag: "Failed"; readonly reason: string };

/** A template that can be rendered. */
export interface Template {
  readonly render: (values: TemplateValues) => Rendering;
  /** Whether it is a text without tags and output, and so the same for everybody. */
  readonly isPlain: boolean;
  /** The names of the variables that it reads. */
  readonly variables: ReadonlySet<string>;
}

/** The result of parsing: a template, or everything in it that is not allowed. */
export type ParsedTemplate =
  | { readonly _tag: "Parsed"; readonly template: Template }
  | { readonly _tag: "Refused"; readonly problems: ReadonlyArray<TemplateProblem> };

type Write = (run: TemplateRun) => void;

const tags = { if: IfTag, unless: UnlessTag, case: CaseTag, comment: CommentTag, raw: RawTag };
const maxDepth = 50;
const maxProblems = 10;
/** Ends the check of a template that has as many problems as are reported. */
const enough = new Error("Enough problems");
const tooDeep = `tags may be nested up to ${maxDepth} deep`;

const liquid = new Liquid({ strictFilters: true });
for (const name of Object.keys(liquid.tags)) delete liquid.tags[name];
for (const [name, tag] of Object.entries(tags)) liquid.registerTag(name, tag);
for (const name of Object.keys(liquid.filters)) delete liquid.filters[name];
for (const name of templateFilters.keys()) liquid.registerFilter(name, (value: unknown) => value);

const parser = new Parser(liquid);

/** The line of a token, faster than its `getPosition`, which reads character by character. */
const lineOf = ({ begin, input }: Token): number => {
  let line = 1;
  for (let at = input.indexOf("\n"); at !== -1 && at < begin; at = input.indexOf("\n", at + 1)) line++;
  return line;
};

/** Compiles nodes, as `liquidjs` parses them, to functions: much faster to run than its generators. */
const compileNodes = (nodes: ReadonlyArray<ParsedNode>, refuse: Refuse, depth: number): Write => {
  const writes = nodes.flatMap((node) => compileNode(node, refuse, depth) ?? []);
  return (run) => {
    for (const write of writes) {
      run.count(1);
      write(run);
    }
  };
};

const compileNode = (node: ParsedNode, refuse: Refuse, depth: number): Write | null => {
  const { token } = node;
  if (depth > maxDepth) {
    refuse(token, tooDeep);
    return null;
  }
  if (node instanceof Output) {
    const value = compileValue(node.value, token, refuse);
    return (run) => run.write(textOf(plain(value(run))));
  }
  if (node instanceof IfTag || node instanceof UnlessTag) return compileConditions(node, refuse, depth);
  if (node instanceof CaseTag) return compileCase(node, refuse, depth);
  if (node instanceof CommentTag) return null;
  const text = node instanceof RawTag ? node.render() : (node as unknown as { readonly str: string }).str;
  return (run) => run.write(text);
};

const compileConditions = (node: IfTag | UnlessTag, refuse: Refuse, depth: number): Write => {
  const branches = (node.branches as ReadonlyArray<{ value: Value; templates: Array<ParsedNode> }>).map(
    ({ templates, value }, index) => ({
      value: compileValue(value, node.token, refuse),
      isWanted: node instanceof IfTag || index > 0,
      write: compileNodes(templates, refuse, depth + 1),
    }),
  );
  const otherwise = compileNodes(node.elseTemplates ?? [], refuse, depth + 1);
  return (run) => {
    for (const { isWanted, value, write } of branches) {
      run.count(1);
      if (isTrue(value(run)) === isWanted) return write(run);
    }
    return otherwise(run);
  };
};

const compileCase = (node: CaseTag, refuse: Refuse, depth: number): Write => {
  const value = compileValue(node.value, node.token, refuse);
  const branches = node.branches.map(({ templates, values }) => ({
    values: values.map((each) => compileToken(each, refuse)),
    write: compileNodes(templates, refuse, depth + 1),
  }));
  const otherwise = compileNodes(node.elseTemplates, refuse, depth + 1);
  return (run) => {
    const target = value(run);
    for (const branch of branches) {
      for (const each of branch.values) {
        run.count(1);
        if (isEqual(target, each(run))) return branch.write(run);
      }
    }
    return otherwise(run);
  };
};

/** The problem of a text that `liquidjs` cannot parse. */
const parseProblem = (error: unknown): TemplateProblem => {
  const { message } = error as Error;
  const [, text = message, line = "1"] = /^(.*), line:(\d+), col:\d+$/s.exec(message) ?? [];
  const tag = /^tag "(.*)" not found$/s.exec(text)?.[1];
  const filter = /^undefined filter: (.*)$/s.exec(text)?.[1];
  return { line: Number(line), reason: reasonOf(text, tag, filter) };
};

const reasonOf = (text: string, tag: string | undefined, filter: string | undefined): string => {
  if (tag !== undefined) return `there is no tag ${tag}; there are ${Object.keys(tags).join(", ")}`;
  if (filter !== undefined)
    return `there is no filter ${filter}; there are ${[...templateFilters.keys()].join(", ")}`;
  return text.includes("call stack") ? tooDeep : text;
};

const isTag = ({ kind }: Token): boolean => kind === TokenKind.Tag || kind === TokenKind.Output;

const refused = (reason: string): ParsedTemplate => ({ _tag: "Refused", problems: [{ line: 1, reason }] });

/**
 * Parses a template and checks what it uses. Takes a few milliseconds at most: a text that passes the limits
 * of `TemplateLimits.ts` is refused before it is parsed.
 */
export const parseTemplate = (text: string): ParsedTemplate => {
  if (countTags(text) > maxTags) return refused(tooMuch.tags);
  const problems: Array<TemplateProblem> = [];
  const variables = new Set<string>();
  const report = (token: Token, reason: string) => {
    problems.push({ line: lineOf(token), reason });
    if (problems.length === maxProblems) throw enough;
  };
  const refuse: Refuse = Object.assign(report, { variables });
  try {
    const tokens = new Tokenizer(text, liquid.options.operators).readTopLevelTokens(liquid.options);
    if (hasTooManyParts(tokens.filter(isTag).map((token) => token.getText().slice(2, -2))))
      return refused(tooMuch.parts);
    const write = compileNodes(parser.parseTokens(tokens), refuse, 1);
    if (problems.length > 0) return { _tag: "Refused", problems };
    const isPlain = !/\{[{%]/.test(text);
    const render = (values: TemplateValues) => renderWith(write, values);
    return { _tag: "Parsed", template: { isPlain, variables, render } };
  } catch (error) {
    return { _tag: "Refused", problems: error === enough ? problems : [parseProblem(error)] };
  }
};

const renderWith = (write: Write, values: TemplateValues): Rendering => {
  const run = new TemplateRun(values);
  try {
    write(run);
    return { _tag: "Rendered", text: run.end() };
  } catch (error) {
    if (error instanceof LimitPassed) return { _tag: "Failed", reason: error.message };
    throw error;
  }
};
