import { Schema, Struct } from "effect";
import { parseList, parseObject } from "../../wire/ListParsing.ts";
import { Problems } from "../../wire/Problems.ts";
import { optionalOrNull, optionalText, whole } from "../../wire/Text.ts";
import { PushOptionsDraft } from "../push/PushOptions.ts";
import { parsePushOptions } from "../push/PushOptionsParsing.ts";
import { maxLengths } from "../TextLimits.ts";
import { parseTranslations, TranslationsDraft } from "../translations/TranslationParsing.ts";
import { control, holdout, maxVariants, type Variant } from "./Variant.ts";

/** A variant on write: parts that are left out or null are those of the notification. */
const VariantDraft = Schema.Struct({
  key: Schema.String.check(
    Schema.isPattern(/^[a-z0-9_-]{1,16}$/, {
      message: "The {field} must have 1 to 16 of the characters a-z, 0-9, _ and -.",
    }),
  ).annotate({ description: "Name of the variant, not `control` or `holdout`.", examples: ["question"] }),
  weight: whole({
    min: 1,
    max: 99,
    description: "Share of people who get it, in percent. Together at most 99: `control` gets the rest.",
    example: 50,
  }),
  headline: optionalText({
    max: maxLengths.headline,
    description: "The headline.",
    example: "Have you tasted our coffee?",
  }),
  body: optionalText({ max: maxLengths.body, description: "The text.", example: "It is free today." }),
  cta_label: optionalText({
    max: maxLengths.cta_label,
    description: "Label of the button.",
    example: "Show me",
  }),
  cta_url: optionalText({
    max: maxLengths.cta_url,
    description: "Address that the button opens.",
    example: "https://example.com/coffee",
  }),
  media_asset_id: optionalText({
    max: 255,
    description: "Id of a media file of the workspace.",
    example: "01980a6c-5a20-7b3c-8d11-2e4f6a8c0b91",
  }),
  translations: optionalOrNull(TranslationsDraft),
  push: optionalOrNull(PushOptionsDraft),
}).annotate({ identifier: "VariantDraft" });

/** Variants in requests. */
export const VariantsDraft = Schema.Array(VariantDraft).annotate({
  description:
    `At most ${maxVariants} variants, each for a share of people; the others get the notification itself, ` +
    "`control`. A variant takes every part that it leaves out from the notification. While people are " +
    "enrolled, keys, weights and order are fixed, and leaving the field out keeps the variants.",
  examples: [[{ key: "question", weight: 50, headline: "Have you tasted our coffee?" }]],
});

const Head = VariantDraft.mapFields(Struct.omit(["translations", "push"]));

const tooMany = `A notification can have at most ${maxVariants} variants.`;
const noQuestions = "The questions of a survey have no variants: leave them out.";

type Json = { readonly [field: string]: unknown };

const parseVariant = (entry: Json | null, path: string, problems: Problems): Variant => {
  const head = parseObject(Head, entry, path, problems);
  const own = new Problems();
  const translations = parseTranslations(entry?.["translations"], own);
  const push = parsePushOptions(entry?.["push"], own);
  if ((entry?.["questions"] ?? null) !== null) own.add("questions", noQuestions);
  for (const [tag, { questions }] of Object.entries(translations ?? {}))
    if (questions !== undefined) own.add(`translations.${tag}.questions`, noQuestions);
  for (const [field, sentences] of Object.entries(own.fields))
    for (const sentence of sentences) problems.add(`${path}.${field}`, sentence);
  const { body, cta_label, cta_url, headline, key, media_asset_id, weight } = head;
  return {
    key: key ?? "",
    weight: weight ?? 0,
    headline: headline ?? null,
    body: body ?? null,
    cta_label: cta_label ?? null,
    cta_url: cta_url ?? null,
    media_asset_id: media_asset_id?.toLowerCase() ?? null,
    translations,
    push,
  };
};

/**
 * Parses the variants of a body; undefined if they are left out, [] for null. Problems are named
 * `variants.N.…`, those of all weights together `variants` (contract U1).
 */
export const parseVariants = (value: unknown, problems: Problems): ReadonlyArray<Variant> | undefined => {
  if (value === undefined) return undefined;
  const limit = { max: maxVariants, sentence: tooMany };
  const variants = parseList(value, "variants", limit, problems, (entry, path) =>
    parseVariant(entry, path, problems),
  );
  if (variants === undefined) return undefined;
  const seen = new Set<string>();
  for (const [index, { key }] of variants.entries()) {
    const path = `variants.${index}.key`;
    if (key === control || key === holdout)
      problems.add(path, `The key ${key} has a meaning of its own: choose another one.`);
    if (key !== "" && seen.has(key)) problems.add(path, "The keys of the variants must differ.");
    seen.add(key);
  }
  if (variants.reduce((sum, { weight }) => sum + weight, 0) > 99)
    problems.add(
      "variants",
      "The weights of the variants must add up to at most 99: control needs 1 or more.",
    );
  return variants;
};
