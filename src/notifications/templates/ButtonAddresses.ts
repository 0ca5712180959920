import { Effect } from "effect";
import { mapSliced } from "../../workers/TimeSlices.ts";
import { isCheckedAddress } from "../ButtonAddress.ts";
import { type ContentBody, writtenParts } from "../NotificationDraft.ts";
import { cachedTemplate } from "./TemplateCache.ts";
import type { TemplateValues } from "./TemplateRun.ts";

/** A device and a campaign of which nothing is known. */
const nothing: TemplateValues = {
  device: { attributes: {}, platform: null, locale: null, timezone: null },
  location: null,
  campaign: { name: null },
  event: null,
  now: 0,
};

/** The address to check for one that may be a template; null if it cannot be checked. */
const checkedAddress = (text: string, isTemplate: boolean): string | null => {
  if (!isTemplate) return text;
  const parsed = cachedTemplate(text);
  if (parsed._tag === "Refused") return null;
  if (parsed.template.isPlain) return text;
  const rendering = parsed.template.render(nothing);
  return rendering._tag === "Rendered" && isCheckedAddress(rendering.text) ? rendering.text : null;
};

interface FieldAddress {
  readonly field: string;
  readonly address: string;
}

/** The addresses of a notification's buttons and actions as they are written, by their fields. */
const writtenAddresses = ({ fields }: ContentBody): ReadonlyArray<FieldAddress> =>
  writtenParts(fields)
    .flatMap(({ part, path }) => [
      [`${path}cta_url`, part.cta_url] as const,
      ...Object.entries(part.translations ?? {}).map(
        ([tag, { cta_url }]) => [`${path}translations.${tag}.cta_url`, cta_url] as const,
      ),
      ...(part.push?.actions ?? []).map(
        ({ url }, index) => [`${path}push.actions.${index}.url`, url] as const,
      ),
    ])
    .flatMap(([field, address]) => (typeof address === "string" ? [{ field, address }] : []));

/** Whether a check of the texts of a notification takes longer than a query. */
export const hasSlowTexts = (body: ContentBody): boolean =>
  body.fields.template === "liquid" || writtenAddresses(body).length > 0;

/** The addresses of a notification's buttons and actions that can be checked when it is saved. */
export const addressesToCheck = (body: ContentBody): Effect.Effect<ReadonlyArray<FieldAddress>> =>
  Effect.map(
    mapSliced(writtenAddresses(body), ({ address: text, field }) => {
      const address = checkedAddress(text, body.fields.template === "liquid");
      return address === null ? [] : [{ field, address }];
    }),
    (addresses) => addresses.flat(),
  );
