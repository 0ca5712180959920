import { fieldSentence } from "../wire/FieldSentence.ts";
import { isUuid } from "../wire/Ids.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import { unstorable } from "../wire/Text.ts";
import type { CampaignDraft } from "./CampaignDraft.ts";
import { type Goal, goalLists } from "./Goal.ts";

/** The lists of a draft that name targets. */
export type TargetList = "location_ids" | "location_group_ids" | "location_group_names" | "segmentation_ids";

const locationLists = ["location_ids", "location_group_ids", "location_group_names"] as const;

const nouns: { readonly [list in TargetList]: string } = {
  location_ids: "location",
  location_group_ids: "location group",
  location_group_names: "location group",
  segmentation_ids: "segment",
};

const shownTypes = { geo: "A geo", push: "A push", event: "An event" } as const;

/**
 * The ids of the targets that a draft names and that exist, by the entry that names them: an id or a name.
 */
export type KnownTargets = { readonly [list in TargetList]: ReadonlyMap<string, string> };

/** The targets of a campaign, each id once, in the order in which they were sent (contract E5). */
export interface ResolvedTargeting {
  readonly locationIds: ReadonlyArray<string>;
  readonly groupIds: ReadonlyArray<string>;
  readonly segmentIds: ReadonlyArray<string>;
}

/** Ids as known targets: each names itself. */
export const idsByThemselves = (ids: ReadonlySet<string>): ReadonlyMap<string, string> =>
  new Map([...ids].map((id) => [id, id]));

/** Whether a list belongs to a campaign of this type; the entries of other lists are not checked. */
const belongs = (list: TargetList, type: CampaignDraft["type"] | undefined): boolean =>
  type === undefined || (type !== "geo") === (list === "segmentation_ids");

/**
 * The entries of a list that can name a target, each once; none for a list that does not belong to the type.
 */
export const candidates = (fields: Partial<CampaignDraft>, list: TargetList): ReadonlyArray<string> => {
  if (!belongs(list, fields.type)) return [];
  const isCandidate = list === "location_group_names" ? (name: string) => unstorable(name) === null : isUuid;
  return [...new Set(fields[list] ?? [])].filter(isCandidate);
};

/**
 * Checks the lists, the pace, the recurrence, the cooldown and the frequency cap of a draft against its type
 * and each other (write rules 5, 6, 9, contract X28, Y12, Z21).
 */
export const checkShape = ({ fields, problems }: ParsedBody<CampaignDraft>): void => {
  const wasSent = (list: TargetList) => problems.has(list) || (fields[list]?.length ?? 0) > 0;
  const refuse = (field: keyof CampaignDraft, noun: string, instead: string) =>
    problems.add(
      field,
      `${shownTypes[fields.type ?? "geo"]} campaign cannot take ${noun}: leave the ` +
        `${field.replaceAll("_", " ")} out, or make it ${instead} campaign.`,
    );
  const wasSentNumber = (field: "max_per_minute" | "cooldown_minutes") =>
    problems.has(field) || typeof fields[field] === "number";
  if (fields.type === "geo") {
    if (!locationLists.some(wasSent)) {
      problems.add(
        "location_ids",
        "A geo campaign needs at least one location or location group: send location_ids, " +
          "location_group_ids or location_group_names.",
      );
    }
    if (wasSent("segmentation_ids")) refuse("segmentation_ids", "segments", "a push");
  }
  if (fields.type === "push" || fields.type === "event") {
    for (const list of locationLists.filter(wasSent)) refuse(list, `${nouns[list]}s`, "a geo");
    if (wasSentNumber("cooldown_minutes")) refuse("cooldown_minutes", "a cooldown", "a geo");
  }
  if (fields.type !== undefined && fields.type !== "push") {
    if (wasSentNumber("max_per_minute")) refuse("max_per_minute", "a pace", "a push");
    if (problems.has("recurrence") || (fields.recurrence ?? null) !== null)
      refuse("recurrence", "a recurrence", "a push");
  }

  const hasCount = problems.has("frequency_cap_count") || typeof fields.frequency_cap_count === "number";
  const hasPeriod = problems.has("frequency_cap_period") || typeof fields.frequency_cap_period === "string";
  if (hasPeriod && !hasCount) {
    problems.add(
      "frequency_cap_count",
      "The frequency cap count is required with a frequency cap period: send both or neither.",
    );
  }
  if (hasCount && !hasPeriod) {
    problems.add(
      "frequency_cap_period",
      "The frequency cap period is required with a frequency cap count: send day, week or month, or " +
        "neither of both.",
    );
  }
};

/**
 * Adds a problem for every entry that names no target of this environment (write rule 7, contract E4, E5).
 */
export const checkEntries = ({ fields, problems }: ParsedBody<CampaignDraft>, known: KnownTargets): void => {
  for (const list of [...locationLists, "segmentation_ids"] as const) {
    if (!belongs(list, fields.type)) continue;
    fields[list]?.forEach((entry, index) => {
      if (!known[list].has(entry)) problems.add(`${list}.${index}`, entryProblem(list, index, entry));
    });
  }
};

/** Checks event and locations of a draft's goal (contract U5, V5). Those of the stored one are kept. */
export const checkGoal = (
  { fields, problems }: ParsedBody<CampaignDraft>,
  known: KnownTargets,
  stored: Goal | null,
): void => {
  const goal = fields.goal ?? null;
  if (goal === null) return;
  const hasEvent = (goal.event ?? null) !== null;
  if (goal.type === "event" && !hasEvent)
    problems.add("goal.event", "The goal event needs the name of a custom event: send event.");
  if (goal.type !== "event" && hasEvent)
    problems.add("goal.event", "Only the goal event has an event: leave the event out.");
  for (const list of goalLists) {
    const ids = goal[list] ?? [];
    if (goal.type !== "visit" && ids.length > 0) {
      const field = list.replaceAll("_", " ");
      problems.add(`goal.${list}`, `Only the goal visit has places: leave the ${field} out.`);
    } else
      ids.forEach((id, index) => {
        if (!known[list].has(id) && stored?.[list]?.includes(id) !== true)
          problems.add(`goal.${list}.${index}`, entryProblem(list, index, id));
      });
  }
};

const entryProblem = (list: TargetList, index: number, entry: string): string => {
  const isName = list === "location_group_names";
  if (isName && entry === "") {
    return fieldSentence("The {field} must be the name of a location group.", [list, index]);
  }
  if (!isName && !isUuid(entry)) return fieldSentence("The {field} must be a UUID.", [list, index]);
  const what = isName ? `named ${JSON.stringify(entry)}` : `with the id ${entry}`;
  return `There is no ${nouns[list]} ${what} in this workspace and environment.`;
};

/** The targeting of a draft without problems; groups given by name come after those given by id. */
export const resolveTargeting = (draft: CampaignDraft, known: KnownTargets): ResolvedTargeting => {
  const idsOf = (list: TargetList) =>
    (belongs(list, draft.type) ? (draft[list] ?? []) : []).flatMap((entry) => known[list].get(entry) ?? []);
  return {
    locationIds: [...new Set(idsOf("location_ids"))],
    groupIds: [...new Set([...idsOf("location_group_ids"), ...idsOf("location_group_names")])],
    segmentIds: [...new Set(idsOf("segmentation_ids"))],
  };
};
