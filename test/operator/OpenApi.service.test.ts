import { assert, describe, it, layer } from "@effect/vitest";
import { Effect } from "effect";
import { apiDocument, type DocumentName, documentNames } from "../../src/ApiDocuments.ts";
import { asker, TestWaypost } from "../TestWaypost.ts";

type Json = any;

const methods = ["get", "put", "post", "patch", "delete"];

const operationsOf = (document: Json) =>
  Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) =>
      item[method] === undefined
        ? []
        : [{ where: `${method.toUpperCase()} ${path}`, path, op: item[method] }],
    ),
  );

const resolve = (document: Json, schema: Json): Json =>
  schema?.$ref === undefined ? schema : document.components.schemas[schema.$ref.split("/").at(-1)];

interface Field {
  readonly where: string;
  readonly schema: Json;
  /** Whether the example of an enclosing field includes this one. */
  readonly isShown: boolean;
}

/** The parts of a GeoJSON feature that RFC 7946 describes. */
const isGeoJson = (where: string) => /\.features\[\]\.(type|geometry(\.\w+)?)$/.test(where);

/** Every field of a schema, at any depth. */
const walk = (document: Json, field: Field, visit: (field: Field) => void, seen: Set<Json>): void => {
  const target = resolve(document, field.schema);
  if (target === undefined || seen.has(target)) return;
  seen.add(target);
  const isShown = field.isShown || (field.schema.examples ?? target.examples)?.length > 0;
  for (const [name, schema] of Object.entries<Json>(target.properties ?? {})) {
    const inner = { where: `${field.where}.${name}`, schema, isShown };
    if (!isGeoJson(inner.where)) visit(inner);
    walk(document, inner, visit, seen);
  }
  for (const schema of [...(target.anyOf ?? []), ...(target.oneOf ?? []), ...(target.allOf ?? [])])
    walk(document, { ...field, schema, isShown }, visit, seen);
  if (target.items !== undefined)
    walk(document, { where: `${field.where}[]`, schema: target.items, isShown }, visit, seen);
};

const everyField = (document: Json): ReadonlyArray<Field> => {
  const fields: Array<Field> = [];
  const seen = new Set<Json>();
  for (const { op, where } of operationsOf(document)) {
    const bodies = [op.requestBody, ...Object.values<Json>(op.responses)].flatMap((each) =>
      Object.values<Json>(each?.content ?? {}),
    );
    for (const { schema } of bodies)
      walk(document, { where, schema, isShown: false }, (field) => fields.push(field), seen);
    for (const { name, schema } of op.parameters)
      fields.push({ where: `${where} ?${name}`, schema, isShown: false });
  }
  return fields;
};

const hasFields = (document: Json, schema: Json): boolean => {
  const target = resolve(document, schema);
  return (
    target?.properties !== undefined ||
    [...(target?.anyOf ?? []), ...(target?.oneOf ?? [])].some((inner: Json) => hasFields(document, inner)) ||
    (target?.items !== undefined && hasFields(document, target.items))
  );
};

const isDescribed = (document: Json, field: Json): boolean =>
  typeof (field.description ?? resolve(document, field)?.description) === "string" ||
  hasFields(document, field);

const hasExample = (document: Json, field: Json, isShown: boolean): boolean =>
  isShown || (field.examples ?? resolve(document, field)?.examples)?.length > 0 || hasFields(document, field);

describe.each(documentNames)("the %s document", (name: DocumentName) => {
  const document: Json = apiDocument(name);

  it("every field and parameter has a description and an example", () => {
    const fields = everyField(document);
    assert.isAbove(fields.length, 10);
    assert.deepStrictEqual(
      fields.filter(({ schema }) => !isDescribed(document, schema)).map(({ where }) => where),
      [],
    );
    assert.deepStrictEqual(
      fields
        .filter(({ schema, isShown }) => !hasExample(document, schema, isShown))
        .map(({ where }) => where),
      [],
    );
  });

  it("integers are integers, and every example has the type of its field", () => {
    const wrong = everyField(document).flatMap(({ schema, where }) => {
      const { examples = [], type } = resolve(document, schema) ?? {};
      const fits = (example: unknown) =>
        type === "integer"
          ? Number.isInteger(example)
          : type === "array"
            ? Array.isArray(example)
            : type === "object"
              ? typeof example === "object"
              : type === undefined || typeof example === type;
      return examples.every(fits) ? [] : [`${where}: ${type} ${JSON.stringify(examples)}`];
    });
    assert.deepStrictEqual(wrong, []);
    const limits = operationsOf(document).flatMap(({ op }) =>
      op.parameters.filter((parameter: Json) => parameter.name === "limit"),
    );
    assert.isAbove(limits.length, 0);
    for (const { schema } of limits) {
      assert.deepStrictEqual([schema.type, schema.minimum, schema.maximum], ["integer", 1, 100]);
    }
  });

  it("every operation lists all errors that it can give, each in the one shape (service.rest)", () => {
    for (const { op, path, where } of operationsOf(document)) {
      const listed = Object.keys(op.responses).map(Number);
      const expected = [401, 429, 500, 503];
      if (name !== "operator") expected.push(403);
      if (path.includes("{") && !path.includes("{installation_id}")) expected.push(404);
      if (op.parameters.some((parameter: Json) => parameter.in === "query")) expected.push(422);
      if (op.requestBody !== undefined) expected.push(413, 415, 422);
      if (op.parameters.some((parameter: Json) => parameter.name === "Idempotency-Key")) expected.push(409);
      for (const status of expected) assert.include(listed, status, where);
      for (const status of listed.filter((each) => each >= 400)) {
        const { schema } = op.responses[status].content["application/json"];
        assert.deepStrictEqual(resolve(document, schema).required, ["error"], `${where} ${status}`);
      }
      assert.isString(op.summary, where);
      assert.deepStrictEqual(
        [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter),
        op.parameters.filter((each: Json) => each.in === "path").map((each: Json) => each.name),
      );
    }
  });

  it(
    "every change of the platform API accepts an Idempotency-Key, and no other endpoint " +
      "(J1, idempotency.0, operator.unlimited)",
    () => {
      const reads = ["POST /segments/count", "POST /campaigns/estimate", "POST /notifications/preview"];
      for (const { op, where } of operationsOf(document)) {
        const isChange = !where.startsWith("GET") && !reads.includes(where);
        const takesKey = op.parameters.some((parameter: Json) => parameter.name === "Idempotency-Key");
        assert.strictEqual(takesKey, name === "platform" && isChange, where);
      }
    },
  );

  it("every response declares its headers (A5.1, S3, idempotency.2, docs.page)", () => {
    const reports = ["POST /events", "POST /positions"];
    const campaign = "/campaigns/{campaign}";
    const notification = `${campaign}/notifications/{notification}`;
    const tagged = [
      ...[campaign, notification, "/notifications/{notification}"].flatMap((path) => [
        `GET ${path}`,
        `PATCH ${path}`,
      ]),
      ...["pause", "publish", "archive", "unarchive"].map((change) => `POST ${campaign}/${change}`),
      "GET /geofences",
      "GET /locations/points",
    ];
    for (const { op, where } of operationsOf(document)) {
      const isIdempotent = op.parameters.some((parameter: Json) => parameter.name === "Idempotency-Key");
      for (const [status, { headers }] of Object.entries<Json>(op.responses)) {
        const expected = ["X-Request-Id"];
        // A report of a device can be later in part (contract TR2).
        const isPartial = name === "device" && reports.includes(where) && status === "200";
        if (["429", "503"].includes(status) || (status === "409" && isIdempotent) || isPartial)
          expected.push("Retry-After");
        const isLimited = name === "platform" || (name === "device" && !where.startsWith("PUT"));
        if (isLimited && status !== "401") {
          expected.push("RateLimit", "RateLimit-Policy");
          for (const part of ["Limit", "Remaining", "Reset"]) expected.push(`X-RateLimit-${part}`);
        }
        if (isIdempotent && status.startsWith("2")) expected.push("Idempotent-Replayed");
        if (tagged.includes(where) && status.startsWith("2")) expected.push("ETag");
        assert.sameMembers(Object.keys(headers), expected, `${where} ${status}`);
        for (const { $ref } of Object.values<Json>(headers))
          assert.isString(document.components.headers[$ref.split("/").at(-1)].description);
      }
    }
  });

  it("only errors that name fields have `fields`; schemes have their registered names (docs.page)", () => {
    const { schemas, securitySchemes } = document.components;
    const withFields = Object.entries<Json>(schemas)
      .filter(([, schema]) => schema.properties?.error?.properties?.fields !== undefined)
      .map(([schema]) => schema);
    assert.deepStrictEqual(
      withFields.filter((schema) => !["Conflict", "Forbidden", "Unprocessable"].includes(schema)),
      [],
    );
    assert.include(withFields, "Unprocessable");
    for (const { scheme } of Object.values<Json>(securitySchemes)) assert.strictEqual(scheme, "bearer");
  });

  it("paths are relative to the servers, and every reference resolves (versioning.1)", () => {
    assert.match(document.openapi, /^3\.1\./);
    assert.isNotEmpty(document.servers);
    for (const path of Object.keys(document.paths)) assert.notInclude(path, "/v1/");
    for (const [, target] of JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      assert.property(document.components.schemas, target ?? "");
    }
    assert.notInclude(JSON.stringify(document), "Encoded");
  });
});

layer(TestWaypost.shared)("served documents", (it) => {
  it.effect("the documents are served without a token", () =>
    Effect.gen(function* () {
      const { origin } = yield* TestWaypost;
      const ask = asker(origin, null);
      for (const name of documentNames) {
        const served = yield* ask(`/openapi/${name}.json`);
        assert.strictEqual(served.status, 200);
        assert.deepStrictEqual(served.body, JSON.parse(JSON.stringify(apiDocument(name))));
      }
    }),
  );
});
