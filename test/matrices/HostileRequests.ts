import type { Dice } from "../sending/Dice.ts";
import type { Endpoint } from "./Endpoints.ts";
import type { ValidRequest } from "./Example.ts";

/** A request as it is sent. */
export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | FormData | null;
}

const words = [
  ..."|\u0000|a\u0000b|\ud800|x\udfff|NaN|Infinity|-0|1e5|null|undefined|[object Object]".split("|"),
  ..."__proto__|constructor|toString|%00|%s%n|' OR 1=1 --|${7*7}|<script>|../../etc/passwd".split("|"),
  ..." |\u00a0|\u200b|\ufeff|\r\n|👩‍👩‍👧|é|ＡＢ|İ".split("|"),
  ..."2026-02-30|2026-13-01|0000-00-00|9999-12-31|9999-12-31 23:59|+275760-09-13".split("|"),
  ..."2026-12-01T00:00:00Z|24:00|12:60|UTC|Europe/Nowhere|Etc/GMT+99|geo|push|on_enter".split("|"),
  ..."survey|SINGLE_CHOICE|01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60".split("|"),
  ..."javascript:alert(1)|data:text/html,x|file:///etc/passwd|shop://x|http://|http://[::1|//x".split("|"),
  "a".repeat(256),
  "é".repeat(300),
  "𝒳".repeat(66),
  "x".repeat(70_000),
];
const borders = [2 ** 31, -(2 ** 31) - 1, 2 ** 53];
const numbers = [0, -1, 1, 1.5, 49, 1001].concat(borders, 1e21, 1e308, 5e-324, -180.1, 90.0001);
const nested = (depth: number): unknown => {
  let value: unknown = "deep";
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
};

/** A JSON value that no field expects. */
const junk = (random: Dice): unknown => {
  switch (random.below(9)) {
    case 0:
      return random.pick([null, true, false, [], {}, [[]], [null], { "": "" }]);
    case 1:
      return random.pick(numbers);
    case 2:
      return nested(random.pick([2, 10, 63, 64, 65, 200]));
    case 3:
      return Array.from({ length: random.pick([1, 5, 101, 1001]) }, () => random.pick(words).slice(0, 40));
    case 4:
      return JSON.parse('{"__proto__":{"x":1},"constructor":{"prototype":1},"length":-1,"toJSON":1}');
    default:
      return random.pick(words);
  }
};

const resolved = (document: any, schema: any): any =>
  schema?.$ref === undefined ? schema : document.components.schemas[schema.$ref.split("/").at(-1)];

/**
 * A value of the schema with some parts replaced by junk. It has no button, because Waypost requests the
 * address of a button.
 */
const fromSchema = (random: Dice, document: any, given: any, depth = 0): unknown => {
  const schema = resolved(document, given) ?? {};
  if (random.below(12) === 0 || depth > 8) return junk(random);
  const inner = (part: any) => fromSchema(random, document, part, depth + 1);
  if (schema.enum !== undefined) return random.pick(schema.enum);
  const members = schema.anyOf ?? schema.oneOf;
  if (members !== undefined) return inner(random.pick(members));
  switch (schema.type) {
    case "object":
      return Object.fromEntries(
        Object.entries<any>(schema.properties ?? {})
          .filter(
            ([name]) =>
              !name.startsWith("cta_") && (schema.required?.includes(name) || random.below(2) === 0),
          )
          .map(([name, part]) => [name, inner(part)]),
      );
    case "array":
      return Array.from({ length: random.below(4) }, () => inner(schema.items));
    case "integer":
    case "number":
      return random.pick([schema.examples?.[0] ?? 1, schema.minimum, schema.maximum, ...numbers]);
    case "boolean":
      return random.below(2) === 0;
    case "null":
      return null;
    default:
      return schema.examples?.[0] ?? random.pick(words);
  }
};

/** The value with one part replaced, removed, repeated or wrapped. */
const mutate = (random: Dice, value: unknown): unknown => {
  if (typeof value !== "object" || value === null || random.below(6) === 0) {
    // An object may have a property `toString` that is not a function.
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return random.pick([
      () => junk(random),
      () => [value],
      () => ({ value }),
      () => text,
      () => Number(text),
    ])();
  }
  if (Array.isArray(value)) {
    const target = random.below(value.length + 1);
    return value.flatMap((each, index) =>
      index === target ? random.pick([() => [], () => [each, each], () => [mutate(random, each)]])() : [each],
    );
  }
  const entries = Object.entries(value);
  const target = random.below(entries.length);
  if (random.below(8) === 0) return { ...value, [random.pick(words)]: junk(random) };
  return Object.fromEntries(
    entries.flatMap(([name, each], index): Array<[string, unknown]> =>
      index !== target
        ? [[name, each]]
        : random.pick([
            () => [],
            () => [[name.toUpperCase(), each] as [string, unknown]],
            () => [[name, junk(random)] as [string, unknown]],
            () => [[name, mutate(random, each)] as [string, unknown]],
            () => [[name, mutate(random, each)] as [string, unknown]],
          ])(),
    ),
  );
};

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** The text of a body, corrupted into bytes that are often not JSON. */
const corrupt = (random: Dice, text: string): Uint8Array<ArrayBuffer> => {
  const at = random.below(text.length + 1);
  const insert = (part: string) => bytesOf(text.slice(0, at) + part + text.slice(at));
  switch (random.below(8)) {
    case 0:
      return bytesOf(text.slice(0, at));
    case 1:
      return insert(random.pick(["\0", "}", "]", ",", '"', "\\u0000", "\\ud800", "//", "1e999", "NaN", "'"]));
    case 2:
      return Uint8Array.from([
        ...bytesOf(text.slice(0, at)),
        random.pick([0xff, 0xc0, 0x80, 0xed]),
        ...bytesOf(text.slice(at)),
      ]);
    case 3:
      return bytesOf(
        text.replaceAll(/\d+/g, () => random.pick(["1e999", "-1e999", "1e-999", "0.1", "00", "0x1"])),
      );
    case 4:
      return bytesOf(`\ufeff${text}`);
    case 5:
      return bytesOf(text + text);
    case 6:
      return bytesOf(
        text.replace(/^\{/, () => `{${text.slice(1, -1)},"__proto__":${"[".repeat(500)}${"]".repeat(500)},`),
      );
    default:
      return bytesOf(random.pick(["", " ", "null", "[]", '"x"', "7", "{}", "[{}]", "true"]));
  }
};

const hostileText = (random: Dice): string =>
  encodeURIComponent(random.pick(words).toWellFormed().slice(0, 2000));

const headersOf = (random: Dice): Readonly<Record<string, string>> =>
  random.pick<() => Readonly<Record<string, string>>>([
    () => ({}),
    () => ({ "idempotency-key": random.pick(["", "k k", "k".repeat(300), `${random.next()}`, "same"]) }),
    () => ({
      "content-type": random.pick([
        "text/plain",
        "application/xml",
        "application/json; charset=utf-16",
        "multipart/form-data",
        "multipart/form-data; boundary=x",
        "x",
        ";",
        "application/x-www-form-urlencoded",
      ]),
    }),
    () => ({ accept: random.pick(["text/html", "", "*/*;q=0", "x"]) }),
    () => ({ "content-encoding": random.pick(["gzip", "br", "x"]) }),
    () => ({
      "x-request-id": random.pick(["x".repeat(500), "a b", "ok"]),
      "x-forwarded-for": "::1, x",
      "x-device-token": "x",
    }),
  ])();

/** A request to an endpoint, made from its document or from a valid request; most have something wrong. */
export const hostileRequest = (random: Dice, endpoint: Endpoint, valid: ValidRequest): HostileRequest => {
  const params = { ...valid.params };
  for (const name of endpoint.params) if (random.below(12) === 0) params[name] = hostileText(random);
  const query = Object.entries(valid.query ?? {}).map(
    ([name, value]) => `${name}=${encodeURIComponent(value)}`,
  );
  for (const { in: where, name } of endpoint.operation.parameters) {
    if (where === "query" && random.below(4) === 0) query.push(`${name}=${hostileText(random)}`);
  }
  if (random.below(10) === 0)
    query.push(random.pick(["%", "%zz=1", "&&==", "a[]=1", "__proto__=1", "limit", "x=%ff", "=", "?"]));
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) => params[name] ?? "x");

  const type = endpoint.operation.requestBody?.content;
  const schema = type?.["application/json"]?.schema;
  let body: HostileRequest["body"] = null;
  if (valid.body instanceof FormData) body = random.below(3) === 0 ? corrupt(random, "--x\r\n") : valid.body;
  else if (typeof valid.body === "string")
    body = random.below(3) === 0 ? corrupt(random, valid.body) : bytesOf(valid.body);
  else if (schema !== undefined || random.below(15) === 0) {
    const base =
      random.below(3) === 0 ? fromSchema(random, endpoint.document, schema ?? {}) : (valid.body ?? {});
    let value = base;
    for (let i = random.below(4); i > 0; i--) value = mutate(random, value);
    const text = JSON.stringify(value) ?? "";
    body = random.below(5) === 0 ? corrupt(random, text) : bytesOf(text);
  }
  const method =
    random.below(25) === 0
      ? random.pick(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
      : endpoint.method;
  return {
    method,
    path: query.length === 0 ? path : `${path}?${query.join("&")}`,
    headers: headersOf(random),
    body: method === "GET" ? null : body,
  };
};
