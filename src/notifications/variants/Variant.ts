import { Schema } from "effect";
import { nullableId, nullableText, shownInteger, shownText } from "../../wire/ShownFields.ts";
import type { MediaKind } from "../../workspaces/Plan.ts";
import { PushOptions } from "../push/PushOptions.ts";
import { Translations } from "../translations/Translation.ts";

/** The name of the notification itself among its variants. */
export const control = "control";
/** The name of those who get nothing of a campaign. No variant has it. */
export const holdout = "holdout";

/** The most variants of a notification, beside control. */
export const maxVariants = 4;

const part = (noun: string, example: string) =>
  nullableText(`${noun}; null for that of the notification.`, example);

/** A variant of a notification, which a share of people gets instead (contract U1). */
export const Variant = Schema.Struct({
  key: shownText("Name of the variant; `control` is the notification itself.", "question"),
  weight: shownInteger("Share of people who get it, in percent; `control` has what is left of 100.", 50),
  headline: part("The headline", "Have you tasted our coffee?"),
  body: part("The text", "It is free today. Show this message at the counter."),
  cta_label: part("Label of the button", "Show me"),
  cta_url: part("Address that the button opens", "https://example.com/coffee"),
  media_asset_id: nullableId(
    "Id of the media file shown; null for that of the notification.",
    "01980a6c-5a20-7b3c-8d11-2e4f6a8c0b91",
  ),
  translations: Schema.NullOr(Translations).annotate({
    description:
      "The texts of the variant in other languages. Each part comes from the first that has it: the " +
      "variant's translation, the variant, the notification's translation, the notification.",
    examples: [null],
  }),
  push: Schema.NullOr(PushOptions).annotate({
    description: "How push services deliver and show it; null for that of the notification.",
    examples: [null],
  }),
}).annotate({ identifier: "Variant" });
export type Variant = typeof Variant.Type;

/** A variant as it is stored, with the kind of its media file at that time; null without one. */
export interface StoredVariant extends Variant {
  readonly media_kind: MediaKind | null;
}

/** A variant as the platform API shows it. */
export const shownVariant = ({ media_kind: _kind, ...variant }: StoredVariant): Variant => variant;

/** The shares of variants: what is fixed while people are enrolled (contract U7). */
export const splitOf = (variants: ReadonlyArray<Pick<Variant, "key" | "weight">>): string =>
  variants.map(({ key, weight }) => `${key}:${weight}`).join(" ");
