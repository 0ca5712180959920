/** The values of variants while they are edited, and how they become those of a draft of the API. */
import type { Notification } from "../data/Resources.ts";
import { numberOrText } from "../parts/form/TypedNumber.ts";
import { type PushValues, pushValues, sentPush } from "./PushForm.ts";
import { sentTranslations, type TranslationValues, translationValues } from "./TranslationForm.ts";

const textNames = ["headline", "body", "cta_label", "cta_url", "media_asset_id"] as const;

/** A variant. Empty parts are those of the notification. */
export interface VariantValues extends Readonly<Record<(typeof textNames)[number], string>> {
  readonly key: string;
  readonly weight: string;
  readonly translations: ReadonlyArray<TranslationValues>;
  readonly push: PushValues;
}

/** The most variants of a notification. */
export const maxVariants = 4;

type Texts = Record<(typeof textNames)[number], string>;

/** The values of the variants of a notification. */
export const variantValues = (shown: Notification["variants"]): ReadonlyArray<VariantValues> =>
  shown.map((variant) => ({
    ...(Object.fromEntries(textNames.map((name) => [name, variant[name] ?? ""])) as Texts),
    key: variant.key,
    weight: String(variant.weight),
    translations: translationValues(variant.translations),
    push: pushValues(variant.push),
  }));

/** The variants of a draft. */
export const sentVariants = (variants: ReadonlyArray<VariantValues>, isSurvey: boolean) =>
  variants.map((variant) => ({
    ...Object.fromEntries(textNames.map((name) => [name, variant[name].trim() || null])),
    ...(isSurvey ? { media_asset_id: null } : {}),
    key: variant.key.trim(),
    weight: numberOrText(variant.weight.trim()),
    translations: sentTranslations(variant.translations, []),
    push: sentPush(variant.push),
  }));

/** The percent of people who get the notification itself. */
export const controlWeight = (variants: ReadonlyArray<VariantValues>): number =>
  100 - variants.reduce((sum, { weight }) => sum + (Number(weight) || 0), 0);

/** One more variant, with half of the people who get the notification itself. */
export const nextVariant = (variants: ReadonlyArray<VariantValues>): VariantValues => ({
  ...(Object.fromEntries(textNames.map((name) => [name, ""])) as Texts),
  key: ["b", "c", "d", "e"].find((key) => variants.every((each) => each.key !== key)) ?? "",
  weight: String(Math.max(1, Math.floor(controlWeight(variants) / 2))),
  translations: [],
  push: pushValues(null),
});

/** The choices of a variant to preview or to test. */
export const variantChoices = (variants: ReadonlyArray<Pick<VariantValues, "key">>, none: string) => [
  { value: "", text: none },
  ...variants.map(({ key }) => ({ value: key, text: key === "control" ? "The original" : key })),
];
