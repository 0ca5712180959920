/** The facts about its recipient that a delivery keeps, so that its words never change (contract T7). */
import type { Properties } from "../../notifications/EventFacts.ts";
import { isTranslated, type TextSource } from "../../notifications/templates/MessageTexts.ts";
import type { TemplateValues } from "../../notifications/templates/TemplateRun.ts";
import { allAttributes, allProperties } from "../../notifications/templates/TemplateVariables.ts";
import type { TimeZoneName } from "../../time/TimeZone.ts";

/** Facts that the texts of a message can depend on. */
export interface RecipientFacts {
  readonly attributes: TemplateValues["device"]["attributes"];
  readonly platform: string | null;
  readonly locale: string | null;
  readonly timezone: TimeZoneName | null;
  /** The location whose event triggered the message; null for none. */
  readonly location: Partial<NonNullable<TemplateValues["location"]>> | null;
  /** The name of the campaign. */
  readonly campaign: string | null;
  /** The properties of the custom event that triggered the message; null for none. */
  readonly event: Properties | null;
}

/** The facts that a delivery keeps, as its column `recipient` has them; missing ones are null or empty. */
export interface KeptFacts extends Partial<RecipientFacts> {
  /** When it was rendered, in epoch milliseconds, if not when the delivery was made. */
  readonly at?: number;
}

/** A delivery, with the facts that it keeps. */
export interface KeptRecipient {
  /** Null for a content that is the same for all devices, and for a delivery of an earlier version. */
  readonly recipient: KeptFacts | null;
  /** When it was made, in epoch milliseconds: its words are rendered for that instant. */
  readonly madeAt: number;
}

/** The facts that the texts of a content read. */
export interface ReadFacts {
  /** The names of the attributes; null for all. */
  readonly attributes: ReadonlyArray<string> | null;
  readonly platform: boolean;
  readonly locale: boolean;
  readonly timezone: boolean;
  readonly campaign: boolean;
  /** The fields of the location. */
  readonly location: ReadonlyArray<string>;
  /** The names of the properties of the event; null for all. */
  readonly event: ReadonlyArray<string> | null;
}

const namesIn = (variables: ReadonlySet<string>, prefix: string): ReadonlyArray<string> =>
  [...variables].flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));

/** The facts that a content with these variables reads. A translation is chosen by the locale. */
export const readFacts = (
  content: Pick<TextSource, "translations" | "variantTexts">,
  variables: ReadonlySet<string>,
): ReadFacts => ({
  attributes: variables.has(allAttributes) ? null : namesIn(variables, `${allAttributes}.`),
  platform: variables.has("device.platform"),
  locale: isTranslated(content) || variables.has("device.locale"),
  timezone: variables.has("device.timezone"),
  campaign: variables.has("campaign.name"),
  location: namesIn(variables, "location."),
  event: variables.has(allProperties) ? null : namesIn(variables, `${allProperties}.`),
});

const picked = (values: object | null, names: ReadonlyArray<string> | null): object | null => {
  const own = Object.entries(values ?? {}).filter(
    ([name, value]) => (names === null || names.includes(name)) && value !== null,
  );
  return own.length === 0 ? null : Object.fromEntries(own);
};

/** The facts to keep of those of a recipient. `KeptFactsSql.ts` has the same for the devices of sends. */
export const keptFacts = (facts: RecipientFacts, read: ReadFacts): KeptFacts => {
  const kept = {
    attributes: picked(facts.attributes, read.attributes),
    platform: read.platform ? facts.platform : null,
    locale: read.locale ? facts.locale : null,
    timezone: read.timezone ? facts.timezone : null,
    location: picked(facts.location, read.location),
    campaign: read.campaign ? facts.campaign : null,
    event: picked(facts.event, read.event),
  };
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== null));
};
