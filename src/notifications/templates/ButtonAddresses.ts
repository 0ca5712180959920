import { isCheckedAddress } from "../ButtonAddress.ts";
import type { ContentBody } from "../NotificationDraft.ts";
import { cachedTemplate } from "./TemplateCache.ts";
import type { TemplateValues } from "./TemplateRun.ts";

/** A device and a campaign of which nothing is known. */
const nothing: TemplateValues = {
  device: { attributes: {}, platform: null, locale: null, timezone: null },
  location: null,
  campaign: { name: null },
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

/** The addresses of a notification's buttons that can be checked when it is saved, by their fields. */
export const addressesToCheck = ({
  fields,
}: ContentBody): ReadonlyArray<{ readonly field: string; readonly address: string }> => {
  const addresses = [
    ["cta_url", fields.cta_url] as const,
    ...Object.entries(fields.translations ?? {}).map(
      ([tag, { cta_url }]) => [`translations.${tag}.cta_url`, cta_url] as const,
    ),
  ];
  return addresses.flatMap(([field, text]) => {
    const address = typeof text === "string" ? checkedAddress(text, fields.template === "liquid") : null;
    return address === null ? [] : [{ field, address }];
  });
};
