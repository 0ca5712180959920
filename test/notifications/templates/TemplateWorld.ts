import type { TemplateValues } from "../../../src/notifications/templates/TemplateRun.ts";
import type { TimeZoneName } from "../../../src/time/TimeZone.ts";

/** The values for a device with these attributes, at a shop. */
export const templateValues = (attributes: object = {}): TemplateValues => ({
  device: {
    attributes: attributes as TemplateValues["device"]["attributes"],
    platform: "ios",
    locale: "nl-NL",
    timezone: "Europe/Amsterdam" as TimeZoneName,
  },
  location: { name: "Shop", address: "Dam 1", external_id: "s1" },
  campaign: { name: "Autumn" },
  event: null,
  now: Date.UTC(2026, 10, 25, 9, 5),
});
