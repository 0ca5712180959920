import { say } from "../wire/Explain.ts";
import { isUuid } from "../wire/Ids.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import { unstorable } from "../wire/Text.ts";
import type { CampaignDraft } from "./CampaignDraft.ts";

/** The lists of a draft that name things of the workspace. */
export type TargetList = "location_ids" | "location_group_ids" | "location_group_names" | "segmentation_ids";

const placeLists = ["location_ids", "location_group_ids", "location_group_names"] as const;

const nouns: { readonly [list in TargetList]: string } = {
  location_ids: "location",
  location_group_ids: "location group",
  location_group_names: "location group",
  segmentation_ids: "segment",
};

/** What is there of the things that a draft names: ids by what names them (an id names itself). */
export type Known = { readonly [list in TargetList]: ReadonlyMap<string, string> };

/** Whom a campaign targets, each id once, in the order they were sent (contract E5). */
export interface ResolvedTargeting {
  readonly locationIds: ReadonlyArray<string>;
  readonly groupIds: ReadonlyArray<string>;
  readonly segmentIds: ReadonlyArray<string>;
}

/** The entries of a list that can name something at all, each once: what is worth asking the database for. */
export const possible = (fields: Partial<CampaignDraft>, list: TargetList): ReadonlyArray<string> => {
  const isPossible = list === "location_group_names" ? (name: string) => unstorable(name) === null : isUuid;
  return [...new Set(fields[list] ?? [])].filter(isPossible);
};

/** Adds what is wrong with a draft's targeting and frequency cap before anything is looked up (write rules 5, 6, 9). */
export const checkShape = ({ fields, problems }: ParsedBody<CampaignDraft>): void => {
  const wasSent = (list: TargetList) => problems.has(list) || (fields[list]?.length ?? 0) > 0;
  if (fields.type === "geo") {
    if (!placeLists.some(wasSent)) {
      problems.add(
        "location_ids",
        "A geo campaign needs at least one location or location group: " +
          "send location_ids, location_group_ids or location_group_names.",
      );
    }
    if (wasSent("segmentation_ids")) {
      problems.add(
        "segmentation_ids",
        "A geo campaign cannot take segments: leave the segmentation ids out, or make it a push campaign.",
      );
    }
  }
  if (fields.type === "push") {
    for (const list of placeLists.filter(wasSent)) {
      problems.add(
        list,
        `A push campaign cannot take ${nouns[list]}s: leave the ${list.replaceAll("_", " ")} out, or make it a geo campaign.`,
      );
    }
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
      "The frequency cap period is required with a frequency cap count: send day, week or month, or neither of both.",
    );
  }
};

/** Whether a list has a place in a draft of its type; entries of one that has none are not looked at. */
const belongs = (list: TargetList, type: CampaignDraft["type"] | undefined): boolean =>
  type === undefined || (type === "push") === (list === "segmentation_ids");

/** The lists of a draft whose entries are to be looked up. */
export const listsToCheck = (fields: Partial<CampaignDraft>): ReadonlyArray<TargetList> =>
  [...placeLists, "segmentation_ids" as const].filter((list) => belongs(list, fields.type));

/** Adds every entry that names nothing of this workspace and environment, at its place as sent (write rule 7, E4, E5). */
export const checkEntries = ({ fields, problems }: ParsedBody<CampaignDraft>, known: Known): void => {
  for (const list of listsToCheck(fields)) {
    fields[list]?.forEach((entry, at) => {
      if (known[list].has(entry)) return;
      const field = `${list}.${at}`;
      const noun = nouns[list];
      if (list === "location_group_names" && entry === "") {
        problems.add(field, say("The {field} must be the name of a location group.", [list, at]));
      } else if (list === "location_group_names") {
        problems.add(
          field,
          `There is no ${noun} named ${JSON.stringify(entry)} in this workspace and environment.`,
        );
      } else if (isUuid(entry)) {
        problems.add(field, `There is no ${noun} with the id ${entry} in this workspace and environment.`);
      } else {
        problems.add(field, say("The {field} must be a UUID.", [list, at]));
      }
    });
  }
};

/** The targeting of a draft without problems; groups given by name come after those given by id. */
export const resolveTargeting = (draft: CampaignDraft, known: Known): ResolvedTargeting => {
  const idsOf = (list: TargetList) =>
    (belongs(list, draft.type) ? (draft[list] ?? []) : []).flatMap((entry) => known[list].get(entry) ?? []);
  return {
    locationIds: [...new Set(idsOf("location_ids"))],
    groupIds: [...new Set([...idsOf("location_group_ids"), ...idsOf("location_group_names")])],
    segmentIds: [...new Set(idsOf("segmentation_ids"))],
  };
};
