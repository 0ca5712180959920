import { Schema } from "effect";
import { atMost, inParts, keptAs, sentAs } from "../../wire/Parts.ts";
import { optionalOrNull, optionalText, whole } from "../../wire/Text.ts";
import { pushDraft } from "../push/PushOptions.ts";
import { maxLengths } from "../TextLimits.ts";
import { translationsDraft } from "../translations/TranslationsDraft.ts";
import { control, holdout, maxVariants, type Variant } from "./Variant.ts";

const noQuestions = "The questions of a survey have no variants: leave them out.";

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
  translations: translationsDraft,
  push: pushDraft,
})
  .annotate({ identifier: "VariantDraft" })
  .pipe(
    inParts(({ translations }, problems, sent) => {
      if ((sent["questions"] ?? null) !== null) problems.add("questions", noQuestions);
      for (const [tag, { questions }] of Object.entries(translations ?? {}))
        if (questions !== undefined) problems.add(`translations.${tag}.questions`, noQuestions);
    }),
    keptAs(
      (parts): Variant =>
        ({
          headline: null,
          body: null,
          cta_label: null,
          cta_url: null,
          translations: null,
          push: null,
          ...parts,
          media_asset_id: parts.media_asset_id?.toLowerCase() ?? null,
        }) as Variant,
    ),
  );

/** Variants on write (contract U1); null for none. */
export const variantsDraft = optionalOrNull(
  Schema.Array(VariantDraft)
    .annotate({
      description:
        `At most ${maxVariants} variants, each for a share of people; the others get the notification ` +
        "itself, `control`. A variant takes every part that it leaves out from the notification. While " +
        "people are enrolled, keys, weights and order are fixed, and leaving the field out keeps the " +
        "variants.",
      examples: [[{ key: "question", weight: 50, headline: "Have you tasted our coffee?" }]] as never,
    })
    .check(atMost(maxVariants, `A notification can have at most ${maxVariants} variants.`))
    .pipe(
      inParts((variants, problems) => {
        const seen = new Set<string>();
        for (const [index, { key }] of variants.entries()) {
          if (key === undefined) continue;
          if (key === control || key === holdout)
            problems.add(`${index}.key`, `The key ${key} has a meaning of its own: choose another one.`);
          if (seen.has(key)) problems.add(`${index}.key`, "The keys of the variants must differ.");
          seen.add(key);
        }
        if (variants.reduce((sum, { weight = 0 }) => sum + weight, 0) > 99)
          problems.add("", "The weights of the variants must add up to at most 99: control needs 1 or more.");
      }),
    ),
).pipe(sentAs((sent: unknown) => sent ?? []));
