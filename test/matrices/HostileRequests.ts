import type { Endpoint } from "./Endpoints.ts";
import type { GoodRequest } from "./Example.ts";

/** Numbers that look like chance and are the same in every run (mulberry32). */
export class Dice {
  #state: number;
  constructor(seed: number) {
    this.#state = seed;
  }
  /** From 0 up to and without 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  below(most: number): number {
    return Math.floor(this.next() * most);
  }
  of<A>(all: ReadonlyArray<A>): A {
    return all[this.below(all.length)] as A;
  }
}

/** A request as it goes over the wire. */
export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | FormData | null;
}

const words = [
  ..."|\u0000|a\u0000b|\ud800|x\udfff|NaN|Infinity|-0|1e5|__proto__|constructor|toString|null|undefined|[object Object]".split(
    "|",
  ),
  ..." |\u00a0|\u200b|\ufeff|\r\n|%00|%s%n|' OR 1=1 --|${7*7}|<script>|../../etc/passwd|👩‍👩‍👧|é|ＡＢ|İ".split(
    "|",
  ),
  ..."2026-02-30|2026-13-01|0000-00-00|9999-12-31|9999-12-31 23:59|+275760-09-13|2026-12-01T00:00:00Z|24:00|12:60".split(
    "|",
  ),
  ..."UTC|Europe/Nowhere|Etc/GMT+99|geo|push|on_enter|survey|SINGLE_CHOICE|01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60".split(
    "|",
  ),
  ..."javascript:alert(1)|data:text/html,x|file:///etc/passwd|shop://x|http://|http://[::1|//x".split("|"),
  "a".repeat(256),
  "é".repeat(300),
  "𝒳".repeat(66),
  "x".repeat(70_000),
];
const numbers = [
  0,
  -1,
  1,
  1.5,
  49,
  1001,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  1e21,
  1e308,
  5e-324,
  -180.1,
  90.0001,
];
const nested = (depth: number): unknown => {
  let value: unknown = "deep";
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
};

/** Any JSON value that no field expects. */
const junk = (dice: Dice): unknown => {
  switch (dice.below(9)) {
    case 0:
      return dice.of([null, true, false, [], {}, [[]], [null], { "": "" }]);
    case 1:
      return dice.of(numbers);
    case 2:
      return nested(dice.of([2, 10, 63, 64, 65, 200]));
    case 3:
      return Array.from({ length: dice.of([1, 5, 101, 1001]) }, () => dice.of(words).slice(0, 40));
    case 4:
      return JSON.parse('{"__proto__":{"x":1},"constructor":{"prototype":1},"length":-1,"toJSON":1}');
    default:
      return dice.of(words);
  }
};

const target = (document: any, schema: any): any =>
  schema?.$ref === undefined ? schema : document.components.schemas[schema.$ref.split("/").at(-1)];

/** A value as the document describes it, now and then with something else in it. The button is left out: its address is asked. */
const fromSchema = (dice: Dice, document: any, given: any, depth = 0): unknown => {
  const schema = target(document, given) ?? {};
  if (dice.below(12) === 0 || depth > 8) return junk(dice);
  const inner = (part: any) => fromSchema(dice, document, part, depth + 1);
  if (schema.enum !== undefined) return dice.of(schema.enum);
  const members = schema.anyOf ?? schema.oneOf;
  if (members !== undefined) return inner(dice.of(members));
  switch (schema.type) {
    case "object":
      return Object.fromEntries(
        Object.entries<any>(schema.properties ?? {})
          .filter(
            ([name]) => !name.startsWith("cta_") && (schema.required?.includes(name) || dice.below(2) === 0),
          )
          .map(([name, part]) => [name, inner(part)]),
      );
    case "array":
      return Array.from({ length: dice.below(4) }, () => inner(schema.items));
    case "integer":
    case "number":
      return dice.of([schema.examples?.[0] ?? 1, schema.minimum, schema.maximum, ...numbers]);
    case "boolean":
      return dice.below(2) === 0;
    case "null":
      return null;
    default:
      return schema.examples?.[0] ?? dice.of(words);
  }
};

/** The value with one place in it changed: replaced, left out, doubled or wrapped. */
const mutate = (dice: Dice, value: unknown): unknown => {
  if (typeof value !== "object" || value === null || dice.below(6) === 0) {
    return dice.of([
      () => junk(dice),
      () => [value],
      () => ({ value }),
      () => String(value),
      () => Number(value),
    ])();
  }
  if (Array.isArray(value)) {
    const at = dice.below(value.length + 1);
    return value.flatMap((each, place) =>
      place === at ? dice.of([() => [], () => [each, each], () => [mutate(dice, each)]])() : [each],
    );
  }
  const entries = Object.entries(value);
  const at = dice.below(entries.length);
  if (dice.below(8) === 0) return { ...value, [dice.of(words)]: junk(dice) };
  return Object.fromEntries(
    entries.flatMap(([name, each], place): Array<[string, unknown]> =>
      place !== at
        ? [[name, each]]
        : dice.of([
            () => [],
            () => [[name.toUpperCase(), each] as [string, unknown]],
            () => [[name, junk(dice)] as [string, unknown]],
            () => [[name, mutate(dice, each)] as [string, unknown]],
            () => [[name, mutate(dice, each)] as [string, unknown]],
          ])(),
    ),
  );
};

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** The text of a body with something done to it that JSON cannot do. */
const spoil = (dice: Dice, text: string): Uint8Array<ArrayBuffer> => {
  const at = dice.below(text.length + 1);
  const insert = (what: string) => bytesOf(text.slice(0, at) + what + text.slice(at));
  switch (dice.below(8)) {
    case 0:
      return bytesOf(text.slice(0, at));
    case 1:
      return insert(dice.of(["\0", "}", "]", ",", '"', "\\u0000", "\\ud800", "//", "1e999", "NaN", "'"]));
    case 2:
      return Uint8Array.from([
        ...bytesOf(text.slice(0, at)),
        dice.of([0xff, 0xc0, 0x80, 0xed]),
        ...bytesOf(text.slice(at)),
      ]);
    case 3:
      return bytesOf(
        text.replaceAll(/\d+/g, () => dice.of(["1e999", "-1e999", "1e-999", "0.1", "00", "0x1"])),
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
      return bytesOf(dice.of(["", " ", "null", "[]", '"x"', "7", "{}", "[{}]", "true"]));
  }
};

const hostileText = (dice: Dice): string => encodeURIComponent(dice.of(words).toWellFormed().slice(0, 2000));

const headersOf = (dice: Dice): Readonly<Record<string, string>> =>
  dice.of<() => Readonly<Record<string, string>>>([
    () => ({}),
    () => ({ "idempotency-key": dice.of(["", "k k", "k".repeat(300), `${dice.next()}`, "same"]) }),
    () => ({
      "content-type": dice.of([
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
    () => ({ accept: dice.of(["text/html", "", "*/*;q=0", "x"]) }),
    () => ({ "content-encoding": dice.of(["gzip", "br", "x"]) }),
    () => ({
      "x-request-id": dice.of(["x".repeat(500), "a b", "ok"]),
      "x-forwarded-for": "::1, x",
      "x-device-token": "x",
    }),
  ])();

/** One request to an endpoint, made from its document or from a good one, with something wrong in most of them. */
export const hostileRequest = (dice: Dice, endpoint: Endpoint, good: GoodRequest): HostileRequest => {
  const params = { ...good.params };
  for (const name of endpoint.params) if (dice.below(12) === 0) params[name] = hostileText(dice);
  const query = Object.entries(good.query ?? {}).map(
    ([name, value]) => `${name}=${encodeURIComponent(value)}`,
  );
  for (const { in: where, name } of endpoint.operation.parameters) {
    if (where === "query" && dice.below(4) === 0) query.push(`${name}=${hostileText(dice)}`);
  }
  if (dice.below(10) === 0)
    query.push(dice.of(["%", "%zz=1", "&&==", "a[]=1", "__proto__=1", "limit", "x=%ff", "=", "?"]));
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) => params[name] ?? "x");

  const type = endpoint.operation.requestBody?.content;
  const schema = type?.["application/json"]?.schema;
  let body: HostileRequest["body"] = null;
  if (good.body instanceof FormData) body = dice.below(3) === 0 ? spoil(dice, "--x\r\n") : good.body;
  else if (schema !== undefined || dice.below(15) === 0) {
    const base = dice.below(3) === 0 ? fromSchema(dice, endpoint.document, schema ?? {}) : (good.body ?? {});
    let value = base;
    for (let i = dice.below(4); i > 0; i--) value = mutate(dice, value);
    const text = JSON.stringify(value) ?? "";
    body = dice.below(5) === 0 ? spoil(dice, text) : bytesOf(text);
  }
  const method =
    dice.below(25) === 0 ? dice.of(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) : endpoint.method;
  return {
    method,
    path: query.length === 0 ? path : `${path}?${query.join("&")}`,
    headers: headersOf(dice),
    body: method === "GET" ? null : body,
  };
};
