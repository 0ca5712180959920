/**
 * Reads a JSON value by a schema, part by part: every part that can be read is kept, every other one is named
 * by its dotted path (contract B4). Values whose schemas say nothing about parts are read as a whole.
 */
import { Predicate, Result, Schema, SchemaAST, SchemaIssue, SchemaParser } from "effect";
import { fieldSentence } from "./FieldSentence.ts";
import { annotationOf, type Json, type Readable } from "./Parts.ts";
import type { Problems } from "./Problems.ts";
import { addIssue, schemaProblems } from "./SchemaProblems.ts";

type Path = ReadonlyArray<PropertyKey>;
/** Returns what could be read, undefined if nothing could, and adds the problems. */
type Reader = (sent: unknown, path: Path, problems: Problems) => unknown;

const options: SchemaAST.ParseOptions = {
  errors: "all",
  // The problems of a union name the field that distinguishes its members.
  reportInput: true,
};

const membersOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  if (ast._tag === "Union") return ast.types;
  if (ast._tag === "Arrays") return ast.rest;
  if (ast._tag !== "Objects") return [];
  return [...ast.propertySignatures, ...ast.indexSignatures].map(({ type }) => type);
};

const hasParts = (ast: SchemaAST.AST): boolean =>
  annotationOf(ast) !== undefined || membersOf(ast).some(hasParts);

const decoderOf = (ast: SchemaAST.AST) =>
  SchemaParser.decodeUnknownResult(Schema.make<Schema.Codec<unknown>>(ast), options);

/** Makes the reader of a schema once. */
const cached = (make: (ast: SchemaAST.AST) => Reader) => {
  const readers = new WeakMap<SchemaAST.AST, Reader>();
  return (ast: SchemaAST.AST): Reader => {
    const reader = readers.get(ast) ?? make(ast);
    readers.set(ast, reader);
    return reader;
  };
};

const withRule = (ast: SchemaAST.AST, reader: Reader): Reader => {
  const { after, before, rule } = annotationOf(ast) ?? {};
  if (rule === undefined && after === undefined && before === undefined) return reader;
  return (raw, path, problems) => {
    const sent = before === undefined ? raw : before(raw as never);
    const parts = reader(sent, path, problems);
    if (parts === undefined || parts === null) return parts;
    rule?.(parts as never, problems.at(path.join(".")), sent as Json);
    return after === undefined ? parts : after(parts as never);
  };
};

const readerOf = cached(
  (ast) => annotationOf(ast)?.read ?? withRule(ast, hasParts(ast) ? partsReader(ast) : wholeReader(ast)),
);

const bodyReaderOf = cached((ast) => withRule(ast, partsReader(ast)));

const wholeReader = (ast: SchemaAST.AST): Reader => {
  const decode = decoderOf(ast);
  return (sent, path, problems) => {
    const decoded = decode(sent);
    return Result.isSuccess(decoded) ? decoded.success : addIssue(problems, decoded.failure, path);
  };
};

const partsReader = (ast: SchemaAST.AST): Reader => {
  if (ast.encoding !== undefined) throw new Error("A transformed value has no parts");
  if (ast._tag === "Union") return unionReader(ast);
  if (ast._tag === "Arrays") return container(ast, Array.isArray, listReader(ast));
  if (ast._tag === "Objects")
    return container(ast, isObject, ast.indexSignatures[0] ? recordReader(ast) : structReader(ast));
  throw new Error(`A ${ast._tag} has no parts`);
};

const isObject = (value: unknown): value is Json => Predicate.isObject(value) && !Array.isArray(value);

/** Reads nothing of a value that is of another type or breaks a check of its size. */
const container =
  (ast: SchemaAST.AST, isOfType: (sent: unknown) => boolean, read: Reader): Reader =>
  (sent, path, problems) => {
    if (!isOfType(sent)) return addIssue(problems, new SchemaIssue.InvalidType(ast, sent, options), path);
    for (const check of ast.checks ?? []) {
      const issue = check._tag === "Filter" && check.run(sent, ast, options);
      if (issue) return addIssue(problems, new SchemaIssue.Filter(check, issue, sent, options), path);
    }
    return read(sent, path, problems);
  };

/** Unknown fields are ignored; a null that is not allowed is a missing field. */
const structReader = (ast: SchemaAST.Objects): Reader => {
  const fields = ast.propertySignatures.map(({ name, type }) => {
    const isRead = annotationOf(type)?.read !== undefined;
    return {
      name,
      isRead,
      isOptional: isRead || SchemaAST.isOptional(type),
      takesNull: isRead || Result.isSuccess(decoderOf(type)(null)),
      missing: type.context?.annotations?.messageMissingKey ?? "The {field} is required.",
      read: readerOf(type),
    };
  });
  return (sent, path, problems) => {
    const parts: { [name: PropertyKey]: unknown } = {};
    for (const { isOptional, isRead, missing, name, read, takesNull } of fields) {
      const at = [...path, name];
      const value = Object.hasOwn(sent as Json, name) ? (sent as Json)[String(name)] : undefined;
      if (value === undefined ? !isOptional : value === null && !takesNull)
        problems.add(at.join("."), fieldSentence(missing, at));
      else if (value !== undefined || isRead) {
        const part = read(value, at, problems);
        if (part !== undefined) parts[name] = part;
      }
    }
    return parts;
  };
};

const recordReader = (ast: SchemaAST.Objects): Reader => {
  const [{ type } = { type: SchemaAST.unknown }] = ast.indexSignatures;
  const read = readerOf(type);
  const { nameProblem = () => null } = annotationOf(ast) ?? {};
  return (sent, path, problems) =>
    Object.fromEntries(
      Object.entries(sent as Json).flatMap(([name, value]) => {
        const at = [...path, name];
        const problem = nameProblem(name);
        if (problem !== null) problems.add(at.join("."), problem);
        // As in a struct, a null that is not allowed is a missing field.
        const isMissing = problem !== null || (value === null && hasParts(type));
        const part = isMissing ? undefined : read(value, at, problems);
        return part === undefined ? [] : [[name, part]];
      }),
    );
};

const listReader = ({ rest: [entry = SchemaAST.unknown] }: SchemaAST.Arrays): Reader => {
  const read = readerOf(entry);
  const isStruct =
    annotationOf(entry)?.read === undefined &&
    [entry, ...membersOf(entry)].some(({ _tag }) => _tag === "Objects");
  return (sent, path, problems) =>
    (sent as ReadonlyArray<unknown>).map((value, index) => {
      const part = read(value, [...path, index], problems);
      return isStruct ? (part ?? {}) : part;
    });
};

/** Reads null, or by the last struct of which the first field was sent, else by the first one. */
const unionReader = ({ types }: SchemaAST.Union): Reader => {
  const takesNull = types.some(({ _tag }) => _tag === "Null");
  const members = types
    .filter(({ _tag }) => _tag !== "Null")
    .map((ast) => ({
      name: ast._tag === "Objects" ? ast.propertySignatures[0]?.name : undefined,
      read: readerOf(ast),
    }));
  return (sent, path, problems) => {
    if (sent === null && takesNull) return null;
    const found = members.findLast(
      ({ name }) => isObject(sent) && name !== undefined && Object.hasOwn(sent, name),
    );
    return (found ?? members[0])?.read(sent, path, problems);
  };
};

/** Reads the fields of a body, and adds their problems. */
export const readFields = (ast: SchemaAST.AST, body: Json, problems: Problems) =>
  bodyReaderOf(ast)(body, [], problems) as object;

/** Reads a value by its schema; undefined if nothing of it could be read. */
export const readPart = <S extends Schema.Top>(
  schema: S,
  sent: unknown,
  problems: Problems,
  path: Path = [],
) => readerOf(schema.ast)(sent, path, problems) as Readable<S["Type"]> | undefined;

/** Makes the reader of a value as a whole: it returns the value, or all its problems as sentences. */
export const wholly = <A, I>(schema: Schema.Codec<A, I>) => {
  const decode = SchemaParser.decodeUnknownResult(schema, { errors: "all" });
  return (sent: unknown): Result.Result<A, ReadonlyArray<string>> =>
    Result.mapError(decode(sent), (issue) => Object.values(schemaProblems(issue)).flat());
};
