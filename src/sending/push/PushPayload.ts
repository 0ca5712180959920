import type { MessageContent } from "../../notifications/MessageContent.ts";
import type { shownMedia } from "../../media/MediaAddress.ts";

/** The content of a push: the same for all recipients of a notification in a campaign. */
export interface PushContent extends Pick<
  MessageContent,
  "type" | "headline" | "body" | "cta_label" | "cta_url" | "push"
> {
  readonly campaign_id: string;
  readonly notification_id: string;
  readonly media: ReturnType<typeof shownMedia>;
  /** The tag of the translation that was taken; null for none. */
  readonly language: string | null;
  /** Whether the declarative part of its Web Push message is left out. */
  readonly isPlain?: true;
}

/** The payload of a push, in the field order of contract L8. */
export const pushPayload = (id: string, content: PushContent) => {
  const { body, campaign_id, cta_label, cta_url, headline, media, notification_id, push, type } = content;
  return {
    id,
    type,
    campaign_id,
    notification_id,
    headline,
    body,
    media,
    cta_label,
    cta_url,
    ...(push?.actions && { actions: push.actions }),
  };
};

/** How long a push service keeps a push: in seconds, and until when (epoch seconds; 0: not at all). */
export interface PushLifetime {
  readonly seconds: number;
  readonly expiresAt: number;
}

/** How long a provider keeps a push without an option, from each attempt, in seconds. */
const defaultSeconds = 86_400;
/** An expiry with as many digits as any of the next centuries. */
const maxExpiry = 9_999_999_999;

/**
 * The lifetime of a push that is sent at `now`, both in epoch milliseconds. An option counts from the first
 * attempt (`firstAt`, null for this one).
 */
export const lifetimeOf = ({ push }: PushContent, firstAt: number | null, now: number): PushLifetime => {
  const seconds = push?.ttl_seconds ?? null;
  const from = Math.floor((seconds === null ? now : (firstAt ?? now)) / 1000);
  if (seconds === null) return { seconds: defaultSeconds, expiresAt: from + defaultSeconds };
  if (seconds === 0) return { seconds, expiresAt: 0 };
  return { seconds: Math.max(0, from + seconds - Math.floor(now / 1000)), expiresAt: from + seconds };
};

/** The largest payload that push providers accept, in bytes. */
export const payloadLimit = 4096;

const ellipsis = "…";
const characters = new Intl.Segmenter("und", { granularity: "grapheme" });

/** The longest prefix that fits, with an ellipsis. Cuts between grapheme clusters. */
const prefixThatFits = (text: string, fits: (shorter: string) => boolean): string => {
  // A character has at least one byte, so a longer prefix cannot fit.
  const start = text.slice(0, payloadLimit);
  const cuts = [0, ...Array.from(characters.segment(start), ({ index, segment }) => index + segment.length)];
  const cutAt = (cut: number) => `${start.slice(0, cuts[cut]).trimEnd()}${ellipsis}`;
  let [low, high] = [0, cuts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(cutAt(middle))) low = middle;
    else high = middle - 1;
  }
  return cutAt(low);
};

/** The fields that can be shortened or left out. */
export const cutFields = [
  "body",
  "data",
  "notification",
  "actions",
  "media",
  "cta_label",
  "cta_url",
  "headline",
] as const;
/** A field that is shortened or left out. */
export type CutField = (typeof cutFields)[number];

/** Parts that are left out of a push that is too long, in this order, with the names of their fields. */
const leavingOut: ReadonlyArray<{
  readonly names: ReadonlyArray<CutField>;
  /** The content without the part; the same one if it has none. */
  readonly less: (content: PushContent, format: PayloadFormat) => PushContent;
}> = [
  {
    names: ["data"],
    less: (content) => (content.push?.data ? { ...content, push: { ...content.push, data: null } } : content),
  },
  {
    names: ["notification"],
    less: (content, { isDeclarative }) =>
      isDeclarative?.(content) === true ? { ...content, isPlain: true } : content,
  },
  {
    names: ["actions"],
    less: (content) =>
      content.push?.actions ? { ...content, push: { ...content.push, actions: null } } : content,
  },
  { names: ["media"], less: (content) => (content.media === null ? content : { ...content, media: null }) },
  {
    names: ["cta_label", "cta_url"],
    less: (content) => (content.cta_url === null ? content : { ...content, cta_label: null, cta_url: null }),
  },
];

/** A content that fits, and the names of its fields that were cut or left out. */
export interface ShortContent {
  readonly content: PushContent;
  readonly cut: ReadonlyArray<CutField>;
}

/** Placeholder for the message id while a payload is built; as long as any id. */
const placeholderId = crypto.randomUUID();

/**
 * Shortens a content until it is within the limit of its format: cuts the body, as little as is needed; if
 * that is not enough, it leaves out the data, the declarative part, the actions, the media file and the
 * button, one after the other, and cuts the body again; last it shortens the headline.
 */
export const shortened = (content: PushContent, format: PayloadFormat): ShortContent => {
  const lifetime = { seconds: content.push?.ttl_seconds ?? defaultSeconds, expiresAt: maxExpiry };
  const fits = (candidate: PushContent) =>
    Buffer.byteLength(format.write(placeholderId, candidate, lifetime)) <= format.limit;
  if (fits(content)) return { content, cut: [] };
  let rest = content;
  const cut: Array<CutField> = [];
  for (const part of [null, ...leavingOut]) {
    const less = part === null ? rest : part.less(rest, format);
    if (part !== null && less === rest) continue;
    rest = less;
    cut.push(...(part?.names ?? []));
    if (fits(rest)) return { content: rest, cut };
    if (!fits({ ...rest, body: ellipsis })) continue;
    const body = prefixThatFits(rest.body, (shorter) => fits({ ...rest, body: shorter }));
    return { content: { ...rest, body }, cut: ["body", ...cut] };
  }
  const bare = { ...rest, body: ellipsis };
  const headline = prefixThatFits(bare.headline, (shorter) => fits({ ...bare, headline: shorter }));
  return { content: { ...bare, headline }, cut: ["body", ...cut, "headline"] };
};

/** How a provider's payload is written: as JSON, shortened to a size in bytes. */
export interface PayloadFormat {
  /** The text grows with every part of the content. */
  readonly write: (id: string, content: PushContent, lifetime: PushLifetime) => string;
  readonly limit: number;
  /** Whether a content is written with a declarative part. */
  readonly isDeclarative?: (content: PushContent) => boolean;
}

interface CachedPayload extends ShortContent {
  lifetime: PushLifetime;
  /** The text between the ids. */
  parts: ReadonlyArray<string>;
}

/**
 * Builds payloads that differ only in the message id: `write` runs once for each content, which is shortened
 * until its UTF-8 text is within the limit, and again when its option for the lifetime expires later.
 */
export const payloadsOf = (format: PayloadFormat) => {
  const cache = new WeakMap<PushContent, CachedPayload>();
  const partsOf = (content: PushContent, lifetime: PushLifetime) =>
    format.write(placeholderId, content, lifetime).split(placeholderId);
  const cachedOf = (content: PushContent): CachedPayload => {
    let cached = cache.get(content);
    if (cached === undefined) {
      const lifetime = { seconds: 0, expiresAt: 0 };
      cached = { ...shortened(content, format), lifetime, parts: [] };
      cache.set(content, cached);
    }
    return cached;
  };
  return {
    /** The content as it is sent. */
    shortened: (content: PushContent): ShortContent => cachedOf(content),
    write: (id: string, content: PushContent, lifetime: PushLifetime): string => {
      const cached = cachedOf(content);
      const isOld =
        typeof content.push?.ttl_seconds === "number" &&
        (cached.lifetime.expiresAt !== lifetime.expiresAt || cached.lifetime.seconds !== lifetime.seconds);
      if (cached.parts.length === 0 || isOld) {
        cached.parts = partsOf(cached.content, lifetime);
        cached.lifetime = lifetime;
      }
      return cached.parts.join(id);
    },
  };
};
