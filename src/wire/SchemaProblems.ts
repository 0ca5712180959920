import { type Schema, SchemaAST, SchemaIssue } from "effect";
import { fieldSentence } from "./FieldSentence.ts";
import { type Fields, Problems } from "./Problems.ts";

/**
 * Adds a schema's issue with the value at a path: full sentences, each under its dotted field name (contract
 * B4, B6). In the message of a schema, `{field}` stands for the field in words.
 */
export const addIssue = (
  problems: Problems,
  issue: SchemaIssue.Issue,
  path: ReadonlyArray<PropertyKey>,
): undefined =>
  walk(issue, path, undefined, (at, message) => {
    const name = at.length === 0 ? "body" : at.map(String).join(".");
    problems.add(name, fieldSentence(message, at));
  });

/** The problems of a schema's issue. */
export const schemaProblems = (issue: SchemaIssue.Issue): Fields => {
  const problems = new Problems();
  addIssue(problems, issue, []);
  return problems.fields;
};

type Report = (path: ReadonlyArray<PropertyKey>, message: string) => undefined;

const walk = (
  issue: SchemaIssue.Issue,
  path: ReadonlyArray<PropertyKey>,
  outer: string | undefined,
  report: Report,
): undefined => {
  switch (issue._tag) {
    case "Pointer":
      return walk(issue.issue, [...path, ...issue.path], undefined, report);
    case "Filter":
      return walk(issue.issue, path, outer ?? messageOf(issue.filter.annotations), report);
    case "Encoding":
      return walk(
        issue.issue,
        path,
        outer ?? messageOf(issue.ast.annotations) ?? checkMessage(issue.ast),
        report,
      );
    case "Composite":
      for (const inner of issue.issues) walk(inner, path, outer, report);
      return undefined;
    case "AnyOf": {
      // The member of a union that matched furthest has the useful issue; "must be null" never helps.
      const useful = issue.issues.filter(
        (inner) => !(inner._tag === "InvalidType" && inner.ast._tag === "Null"),
      );
      const deepest = useful.find((inner) => inner._tag !== "InvalidType");
      if (deepest !== undefined) return walk(deepest, path, outer, report);
      const kind = isObjectInput(issue) ? discriminator(issue.ast) : undefined;
      if (kind !== undefined)
        return report([...path, kind.name], `The {field} must be ${either(kind.values)}.`);
      const message = outer ?? messageOf(issue.ast.annotations);
      if (message !== undefined) return report(path, message);
      const first = useful[0];
      return first === undefined
        ? report(path, expectation(issue.ast))
        : walk(first, path, undefined, report);
    }
    case "MissingKey":
      return report(path, "The {field} is required.");
    case "InvalidType":
      return report(path, outer ?? messageOf(issue.ast.annotations) ?? expectation(issue.ast));
    case "InvalidValue":
      return report(path, messageOf(issue.annotations) ?? outer ?? "The {field} is not valid.");
    default:
      return report(path, outer ?? "The {field} is not valid.");
  }
};

const isObjectInput = (issue: SchemaIssue.Issue): boolean =>
  SchemaIssue.hasInput(issue) &&
  typeof issue.input === "object" &&
  issue.input !== null &&
  !Array.isArray(issue.input);

/** The property whose literal values distinguish the members of a union, and these values. */
const discriminator = (
  ast: SchemaAST.AST,
): { readonly name: string; readonly values: Array<string> } | undefined => {
  const members = ast._tag === "Union" ? ast.types : [];
  const literals = members.map((member) =>
    member._tag !== "Objects"
      ? []
      : member.propertySignatures.flatMap(({ name, type }) =>
          type._tag === "Literal" && typeof name === "string" ? [[name, String(type.literal)] as const] : [],
        ),
  );
  const name = literals[0]?.[0]?.[0];
  const values = literals.flatMap((each) => each.filter(([key]) => key === name).map(([, value]) => value));
  return name === undefined || values.length < members.length ? undefined : { name, values };
};

const messageOf = (annotations: Schema.Annotations.Annotations | undefined): string | undefined => {
  const message = annotations?.["message"];
  return typeof message === "string" ? message : undefined;
};

/** The message of a schema's first check; it also describes values that are not of the schema's type. */
const checkMessage = (ast: SchemaAST.AST): string | undefined =>
  ast.checks?.map((check) => messageOf(check.annotations)).find((message) => message !== undefined);

const expectation = (type: SchemaAST.AST): string => {
  // Clients see the encoded type: an instant is sent as a text.
  const ast = SchemaAST.toEncoded(type);
  const members = ast._tag === "Union" ? ast.types : [ast];
  // The check of a list is its length, which does not describe a value that is no list.
  const message = members
    .filter(({ _tag }) => _tag !== "Arrays")
    .map(checkMessage)
    .find((each) => each !== undefined);
  if (message !== undefined) return message;
  const kinds = [...new Set(kindsOf(ast))];
  return kinds.length === 0
    ? "The {field} does not have an accepted type."
    : `The {field} must be ${either(kinds)}.`;
};

const either = (names: ReadonlyArray<string>): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;

/** The accepted kinds of value, in words. */
const kindsOf = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  switch (ast._tag) {
    case "String":
      return ["a text"];
    case "Number":
      return ["a number"];
    case "Boolean":
      return ["true", "false"];
    case "Arrays":
      return ["a list"];
    case "Objects":
      return ["an object"];
    case "Null":
      return ["null"];
    case "Literal":
      return [String(ast.literal)];
    case "Union":
      return ast.types.flatMap(kindsOf);
    default:
      return [];
  }
};
