import type { FoundCampaign } from "../campaigns/Campaign.ts";
import type { SegmentRow } from "../devices/SegmentsRepository.ts";
import type { MediaRow } from "../media/MediaLibraryRepository.ts";
import type { NotificationRow } from "../notifications/NotificationsRepository.ts";
import type { CopyCounts } from "./CopiesApi.ts";

/** A resource of the copied campaign, and the id that it has where the copy is made. */
export interface Match {
  readonly source: string;
  readonly id: string;
  /** Whether it is not there, so that the copy makes it. */
  readonly isMade: boolean;
}

/** A copy before it is made. */
export interface CopyPlan {
  readonly campaign: FoundCampaign;
  readonly name: string;
  readonly messages: ReadonlyArray<NotificationRow>;
  /** The media files of the messages, each once. */
  readonly media: ReadonlyArray<MediaRow>;
  readonly isWithinEnvironment: boolean;
  readonly groups: ReadonlyArray<Match & { readonly name: string }>;
  readonly locations: ReadonlyArray<Match & { readonly groups: ReadonlyArray<string> }>;
  /** A segment that is made has no id yet. */
  readonly segments: ReadonlyArray<SegmentMatch>;
}

type NamedSegment = Pick<SegmentRow, "id" | "name" | "rule">;

/** A segment of the copied campaign: the id of its counterpart, or the name under which it is made. */
export type SegmentMatch = Pick<SegmentRow, "name" | "rule"> & {
  readonly source: string;
  readonly id: string | null;
};

/** Longest beginning of a name that is kept where a number follows. */
const keptCharacters = 240;

/** The beginning that a name shares with its numbered ones. */
export const beginningOf = (name: string): string => [...name].slice(0, keptCharacters).join("");

/** The name, then the same with a number from 2 on. */
const numbered = (name: string, number: number): string =>
  number === 1 ? name : `${beginningOf(name)} (${number})`;

/** The first of a name and its numbered ones that is not taken. */
export const freeName = (name: string, taken: ReadonlySet<string>): string => {
  let number = 1;
  while (taken.has(numbered(name, number))) number++;
  return numbered(name, number);
};

/**
 * Matches segments by name and rule. One whose name another rule has there is made under its numbered name,
 * which a later copy finds again.
 */
export const matchSegments = (
  segments: ReadonlyArray<NamedSegment>,
  there: ReadonlyArray<NamedSegment>,
): ReadonlyArray<SegmentMatch> => {
  const byName = new Map(there.map((segment) => [segment.name, segment]));
  // Rules of the database: jsonb has one order of keys.
  const ruleText = (segment: NamedSegment | undefined) => segment && JSON.stringify(segment.rule);
  return segments.map((segment) => {
    let number = 1;
    const candidate = () => byName.get(numbered(segment.name, number));
    while (candidate() !== undefined && ruleText(candidate()) !== ruleText(segment)) number++;
    const [name, found] = [numbered(segment.name, number), candidate()];
    if (found === undefined) byName.set(name, { ...segment, name });
    return { source: segment.id, name, rule: segment.rule, id: found?.id ?? null };
  });
};

/** How much a copy makes, and how much of what is there it uses. */
export const countsOf = (plan: CopyPlan): CopyCounts => {
  const { groups, isWithinEnvironment, locations, media, messages, segments } = plan;
  const made = (matches: ReadonlyArray<{ readonly isMade: boolean }>) =>
    matches.filter(({ isMade }) => isMade).length;
  const madeSegments = segments.filter(({ id }) => id === null).length;
  const madeMedia = isWithinEnvironment ? 0 : media.length;
  return {
    made: {
      notifications: messages.length,
      media: madeMedia,
      locations: made(locations),
      location_groups: made(groups),
      segments: madeSegments,
    },
    matched: {
      notifications: 0,
      media: media.length - madeMedia,
      locations: locations.length - made(locations),
      location_groups: groups.length - made(groups),
      segments: segments.length - madeSegments,
    },
  };
};
