import { assert, describe, it } from "@effect/vitest";
import { readFileSync } from "node:fs";
import { apiChanges, type ApiDocument } from "../../scripts/check/apiChanges.ts";
import type { Schema } from "../../scripts/check/schemaChanges.ts";
import { documentNames } from "../../src/ApiDocuments.ts";

const text: Schema = { type: "string" };
const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: "null" }] });
const object = (properties: Schema["properties"] = {}, required = Object.keys(properties)): Schema => ({
  type: "object",
  properties,
  required,
});
const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: Schema) => ({ content: { "application/json": { schema } } });

/** A document with one operation that takes one value and returns one. */
const documentOf = (
  taken: Schema,
  returned: Schema,
  schemas: Record<string, Schema> = {},
  more: object = {},
) =>
  ({
    components: { schemas },
    paths: {
      "/things": {
        post: {
          operationId: "make",
          security: [{ token: [] }],
          requestBody: json(object({ value: taken }, [])),
          responses: { 200: { ...json(object({ value: returned })), headers: { ETag: {} } } },
          ...more,
        },
      },
    },
  }) satisfies ApiDocument;

const requests = (before: Schema, now: Schema) =>
  apiChanges(documentOf(before, text), documentOf(now, text)).map((each) =>
    each.replace("POST /things ", ""),
  );
const responses = (before: Schema, now: Schema) =>
  apiChanges(documentOf(text, before), documentOf(text, now)).map((each) =>
    each.replace("POST /things 200.", ""),
  );
const changes = (more: object) => apiChanges(documentOf(text, text), documentOf(text, text, {}, more));

const colours = (...values: ReadonlyArray<string>): Schema => ({ type: "string", enum: values });

describe("the check of released documents", () => {
  it("a document has everything of itself, also of schemas within themselves (upgrades.api)", () => {
    for (const name of documentNames) {
      const own = JSON.parse(readFileSync(`openapi/${name}.json`, "utf8")) as ApiDocument;
      assert.deepStrictEqual(apiChanges(own, own), []);
    }
  });

  it("a path, method, id, credential, header, code or body stays (upgrades.api)", () => {
    const released = documentOf(text, text);
    assert.deepStrictEqual(apiChanges(released, { ...released, paths: {} }), ["POST /things vanishes."]);
    assert.deepStrictEqual(changes({ operationId: "create" }), ["POST /things was called make."]);
    assert.deepStrictEqual(changes({ security: [{ key: [] }] }), [
      "POST /things: the credential token vanishes.",
    ]);
    assert.deepStrictEqual(changes({ responses: { 201: json(object({ value: text })) } }), [
      "POST /things: the status 200 vanishes.",
    ]);
    assert.deepStrictEqual(changes({ responses: { 200: json(object({ value: text })) } }), [
      "POST /things 200: the header ETag vanishes.",
    ]);
    const { content } = json(object({ value: text }, []));
    assert.deepStrictEqual(changes({ requestBody: { content, required: true } }), [
      "POST /things: the body is required now.",
    ]);
    assert.deepStrictEqual(changes({ requestBody: { content: { "text/csv": {} } } }), [
      "POST /things body: the media type application/json vanishes.",
    ]);
  });

  it("a parameter stays, and none is required that was not (upgrades.api)", () => {
    const query = (name: string, schema: Schema, required = false) => ({
      in: "query",
      name,
      schema,
      required,
    });
    const withParameters = (...parameters: ReadonlyArray<object>) =>
      documentOf(text, text, {}, { parameters }) as ApiDocument;
    const released = withParameters(
      query("limit", { type: "integer", maximum: 100 }),
      query("q", text, true),
    );
    const compare = (...parameters: ReadonlyArray<object>) =>
      apiChanges(released, withParameters(...parameters));
    const limit = query("limit", { type: "integer", maximum: 1000 });
    assert.deepStrictEqual(compare(limit, query("q", text), query("sort", text)), []);
    assert.deepStrictEqual(compare(limit, query("sort", text, true)), [
      "POST /things: the query parameter q vanishes.",
      "POST /things: the query parameter sort is required now.",
    ]);
    assert.deepStrictEqual(
      compare(query("limit", { type: "integer", maximum: 50 }, true), query("q", text)),
      [
        "POST /things: the query parameter limit is required now.",
        "POST /things: query parameter limit has the stricter maximum 50.",
      ],
    );
  });

  it("a request that was valid stays so (upgrades.api)", () => {
    const a = object({ a: text });
    for (const [before, now, ...findings] of [
      [text, orNull(text)],
      [{ type: "integer" }, { type: "number" }],
      [colours("red"), colours("red", "blue")],
      [colours("red"), text],
      [{ type: "string", maxLength: 5 }, text],
      [a, object({ a: text, b: text }, [])],
      [a, { anyOf: [{ type: "array" }, a] }],
      [text, {}],
      [orNull(text), { type: ["string", "null"] }],
      [{ type: ["string", "null"] }, orNull(text)],
      [orNull(text), text, "body.value was of type null and can be string."],
      [text, { type: "number" }, "body.value was of type string and can be number."],
      [{ type: "number" }, { type: "integer" }, "body.value was of type number and can be integer."],
      [{}, text, "body.value was of type anything and can be string."],
      [colours("red", "blue"), colours("red"), 'body.value has no value "blue" any more.'],
      [text, colours("red"), "body.value took any value."],
      [text, { type: "string", format: "uuid" }, "body.value has the new format uuid."],
      [text, { type: "string", maxLength: 5 }, "body.value has the stricter maxLength 5."],
      [
        { type: "number", minimum: 0 },
        { type: "number", minimum: 1 },
        "body.value has the stricter minimum 1.",
      ],
      [a, object({}), "body.value.a vanishes."],
      [a, object({ a: text, b: text }), "body.value.b is required now."],
      [object({ a: text }, []), a, "body.value.a is required now."],
      [
        a,
        { type: "object", oneOf: [] },
        "body.value has the keyword oneOf, which scripts/check/schemaChanges.ts does not compare.",
      ],
    ] as ReadonlyArray<readonly [Schema, Schema, ...ReadonlyArray<string>]>)
      assert.deepStrictEqual(requests(before, now), findings);
  });

  it("a response keeps its fields and their types (upgrades.api)", () => {
    const a = object({ a: text });
    const list = (items: Schema): Schema => ({ type: "array", items });
    const date: Schema = { type: "string", format: "date" };
    for (const [before, now, ...findings] of [
      [orNull(text), text],
      [{ type: "number" }, { type: "integer" }],
      [colours("red"), colours("red", "blue")],
      [a, object({ a: text, b: text })],
      [object({ a: text }, []), a],
      [{ type: "string", maxLength: 5 }, text],
      [{}, text],
      [text, orNull(text), "value was of type string and can be null."],
      [{ type: "integer" }, { type: "number" }, "value was of type integer and can be number."],
      [text, a, "value was of type string and can be object."],
      [colours("red", "blue"), colours("red"), 'value has no value "blue" any more.'],
      [date, text, "value had the format date."],
      [a, object({}), "value.a vanishes."],
      [a, object({ a: text }, []), "value.a may be left out now."],
      [list(a), list(object({ b: text })), "value[].a vanishes."],
      [list(a), list({ anyOf: [a, object({ b: text })] })],
      [list(a), list({ anyOf: [object({ a: text, b: text }), object({ c: text })] })],
      [list(a), list({ anyOf: [a, object({ b: text }, [])] }), "value[].a vanishes."],
      [
        { type: "array", prefixItems: [text, a] },
        { type: "array", prefixItems: [text, text] },
        "value[1] was of type object and can be string.",
      ],
      [
        { type: "object", additionalProperties: text },
        { type: "object", additionalProperties: orNull(text) },
        "value.* was of type string and can be null.",
      ],
      [{ type: "object", additionalProperties: text }, object({}), "value has no further fields any more."],
    ] as ReadonlyArray<readonly [Schema, Schema, ...ReadonlyArray<string>]>)
      assert.deepStrictEqual(responses(before, now), findings);
  });

  it("a named schema is compared once a side, also within itself and under a new name (upgrades.api)", () => {
    const tree = (name: string, more: Schema["properties"] = {}): Record<string, Schema> => ({
      [name]: object({ ...more, parts: { type: "array", items: ref(name) } }),
    });
    const compare = (before: Record<string, Schema>, now: Record<string, Schema>) => {
      const [old = "", later = ""] = [before, now].map((schemas) => Object.keys(schemas)[0]);
      return apiChanges(
        documentOf(ref(old), ref(old), before),
        documentOf(ref(later), { allOf: [ref(later)] }, now),
      );
    };
    assert.deepStrictEqual(compare(tree("Tree"), tree("Bush", { id: text })), [
      "Tree (request).id is required now.",
    ]);
    assert.deepStrictEqual(compare(tree("Tree", { id: text }), tree("Tree")), [
      "Tree (request).id vanishes.",
      "Tree (response).id vanishes.",
    ]);
  });
});
