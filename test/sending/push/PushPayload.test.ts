import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import { randomUUID } from "node:crypto";
import { unsetOptions } from "../../../src/notifications/push/PushOptions.ts";
import {
  payloadLimit,
  payloadsOf,
  type PushContent,
  pushPayload,
  shortened,
} from "../../../src/sending/push/PushPayload.ts";
import { webPushFormat } from "../../../src/sending/push/transports/WebPush.ts";
import { cases } from "../../FixedSeed.ts";

const id = "00000000-0000-8a41-8000-000000000007";
const plain: PushContent = {
  type: "message",
  campaign_id: randomUUID(),
  notification_id: randomUUID(),
  headline: "Welcome",
  body: "Coffee is on us.",
  media: null,
  cta_label: null,
  cta_url: null,
  push: null,
  language: null,
};
const lifetime = { seconds: 3600, expiresAt: 1_800_000_000 };
const write = (message: string, content: PushContent) => JSON.stringify(pushPayload(message, content));
/** As providers nest it: the body twice, once in a text within the text. */
const nested = (message: string, content: PushContent) =>
  JSON.stringify({ body: content.body, title: content.headline, data: { waypost: write(message, content) } });

/** Texts that are hard to measure or cut: quotes, control characters, emoji families, combining accents. */
const hardParts = fc.constantFrom('"\\', "\u0001", "👨‍👩‍👧‍👦", "e\u0301", "€", "a");
const texts = (maxLength: number) =>
  fc.array(fc.oneof(fc.string({ unit: "grapheme" }), hardParts), { size: "max", maxLength }).map((parts) =>
    Array.from(parts.join("") || "x")
      .slice(0, maxLength)
      .join(""),
  );

const contents: fc.Arbitrary<PushContent> = fc.record({
  type: fc.constant("message" as const),
  campaign_id: fc.uuid(),
  notification_id: fc.uuid(),
  headline: texts(65),
  body: texts(5_000),
  media: fc.option(
    fc.record({
      id: fc.uuid(),
      url: fc.option(fc.webUrl()),
      type: fc.constantFrom("image" as const, "video" as const),
    }),
  ),
  cta_label: texts(255),
  cta_url: fc
    .string({ maxLength: 2_048, size: "max" })
    .map((text) => `https://example.com/${encodeURI(text.toWellFormed())}`.slice(0, 2048)),
  push: fc.constant(null),
  language: fc.constant(null),
});

describe("Push payloads", () => {
  it("a payload is JSON within its limit and keeps the ids, for any content (L8.1)", () => {
    for (const [writer, limit] of [
      [write, 3_993],
      [nested, 3_840],
    ] as const) {
      const payload = payloadsOf({ write: writer, limit });
      fc.assert(
        fc.property(contents, (content) => {
          const text = payload.write(id, content, lifetime);
          assert.isAtMost(Buffer.byteLength(text), limit);
          const outer = JSON.parse(text);
          const read = outer.data === undefined ? outer : JSON.parse(outer.data.waypost);
          const { campaign_id, notification_id, type } = content;
          assert.deepInclude(read, { id, campaign_id, notification_id, type });
          assert.isTrue(read.body === content.body || read.body.endsWith("…"));
          assert.isTrue(read.body.isWellFormed() && read.headline.isWellFormed());
        }),
        { numRuns: cases(50) },
      );
    }
  });

  it("a payload that fits to the last byte is not shortened", () => {
    const sizeOf = (content: PushContent) => Buffer.byteLength(write(id, content));
    const room = 4096 - sizeOf({ ...plain, body: "" });
    const fits = { ...plain, body: "a".repeat(room) };
    assert.strictEqual(shortened(fits, { write, limit: 4096 }).content, fits);
    const over = shortened({ ...plain, body: "a".repeat(room + 1) }, { write, limit: 4096 });
    assert.deepStrictEqual(over.content, { ...plain, body: `${"a".repeat(room - 3)}…` });
    assert.deepStrictEqual(over.cut, ["body"]);
    assert.strictEqual(sizeOf(over.content), 4096);
  });

  it("a payload shortens the body first, between grapheme clusters (L8.1)", () => {
    const family = "👨‍👩‍👧‍👦";
    const sizeOf = (content: PushContent) => Buffer.byteLength(write(id, content));
    const button = { cta_label: "Look", cta_url: "https://example.com" };
    const media = { id: randomUUID(), url: "https://example.com/a.webp", type: "image" as const };
    const content = { ...plain, ...button, media, body: family.repeat(500) };
    for (let limit = 4096; limit > 4096 - Buffer.byteLength(family); limit--) {
      const { body, ...rest } = shortened(content, { write, limit }).content;
      assert.match(body, new RegExp(`^(${family})+…$`, "u"));
      assert.isAbove(sizeOf({ ...rest, body }), limit - Buffer.byteLength(family));
      assert.deepStrictEqual({ ...rest, body: content.body }, content);
    }
  });

  it("a payload leaves out the media file, then the button, and shortens the headline last", () => {
    const sizeOf = (content: PushContent) => Buffer.byteLength(write(id, content));
    const media = {
      id: randomUUID(),
      url: `https://example.com/${"m".repeat(1000)}`,
      type: "image" as const,
    };
    const button = { cta_label: "Look", cta_url: `https://example.com/${"b".repeat(1000)}` };
    const content = { ...plain, headline: "H".repeat(500), body: "B".repeat(500), media, ...button };
    const at = (limit: number) => shortened(content, { write, limit }).content;
    const without = (less: object) => sizeOf({ ...content, ...less, body: "…" });
    assert.deepInclude(at(without({})), { ...content, body: "…" });
    assert.deepInclude(at(without({}) - 1), { media: null, ...button, headline: content.headline });
    const noButton = { media: null, cta_label: null, cta_url: null };
    assert.deepInclude(at(without({ media: null }) - 1), { ...noButton, headline: content.headline });
    assert.deepInclude(at(without(noButton) - 1), {
      ...noButton,
      body: "…",
      headline: `${"H".repeat(496)}…`,
    });
  });

  it("a payload leaves out data, the declarative part and the actions, in this order (T3.6)", () => {
    const url = (length: number) => `https://example.com/${"u".repeat(length - 20)}`;
    const push = {
      ...unsetOptions,
      data: { a: "d".repeat(1000) },
      actions: [{ id: "a", title: "A", url: url(1500) }],
    };
    const content = { ...plain, push, body: "B".repeat(500), cta_label: "Look", cta_url: url(1000) };
    const format = webPushFormat(null);
    const at = (limit: number) => shortened(content, { ...format, limit });
    const size = (of: PushContent) => Buffer.byteLength(format.write(id, of, lifetime));
    const none = { ...content, body: "…" };
    const noData = { ...none, push: { ...push, data: null } };
    const noPart = { ...noData, isPlain: true as const };
    const noActions = { ...noPart, push: { ...noPart.push, actions: null } };
    assert.deepStrictEqual(at(size(none)), { content: none, cut: ["body"] });
    assert.deepStrictEqual(at(size(none) - 1).cut, ["data"]);
    assert.deepStrictEqual(at(size(noData)).content, noData);
    assert.deepStrictEqual(at(size(noData) - 1).cut, ["data", "notification"]);
    assert.deepStrictEqual(at(size(noPart)).content, noPart);
    assert.deepStrictEqual(at(size(noPart) - 1).cut, ["data", "notification", "actions"]);
    assert.deepStrictEqual(at(size(noActions)).cut, ["body", "data", "notification", "actions"]);
    assert.include(at(size(noActions) - 1).cut, "cta_url");
  });

  it("payloads of one content differ only in the message id", () => {
    const payload = payloadsOf({ write: nested, limit: payloadLimit });
    const other = "00000000-0000-8a41-8000-0000000000ff";
    const first = payload.write(id, plain, lifetime);
    assert.strictEqual(payload.write(other, plain, lifetime), first.replaceAll(id, other));
    assert.notStrictEqual(payload.write(other, plain, lifetime), first);
  });
});
