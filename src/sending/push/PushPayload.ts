import type { MessageContent } from "../../notifications/MessageContent.ts";
import type { shownMedia } from "../../media/MediaAddress.ts";

/** The content of a push: the same for all recipients of a notification in a campaign. */
export interface PushContent extends Pick<
  MessageContent,
  "type" | "headline" | "body" | "cta_label" | "cta_url"
> {
  readonly campaign_id: string;
  readonly notification_id: string;
  readonly media: ReturnType<typeof shownMedia>;
}

/** The payload of a push, in the field order of contract L8. */
export const pushPayload = (id: string, content: PushContent) => {
  const { body, campaign_id, cta_label, cta_url, headline, media, notification_id, type } = content;
  return { id, type, campaign_id, notification_id, headline, body, media, cta_label, cta_url };
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

/**
 * Shortens a content until its size is within the limit, in bytes: first the body; then it leaves out the
 * media file, then the button; last it shortens the headline. `sizeOf` must grow with every text.
 */
export const shortened = (
  content: PushContent,
  limit: number,
  sizeOf: (content: PushContent) => number,
): PushContent => {
  const fits = (candidate: PushContent) => sizeOf(candidate) <= limit;
  if (fits(content)) return content;
  const without: ReadonlyArray<Partial<PushContent>> = [
    {},
    { media: null },
    { media: null, cta_label: null, cta_url: null },
  ];
  for (const less of without) {
    const rest = { ...content, ...less };
    if (!fits({ ...rest, body: ellipsis })) continue;
    return fits(rest)
      ? rest
      : { ...rest, body: prefixThatFits(rest.body, (body) => fits({ ...rest, body })) };
  }
  const bare = { ...content, ...without.at(-1), body: ellipsis };
  return { ...bare, headline: prefixThatFits(bare.headline, (headline) => fits({ ...bare, headline })) };
};

/** Placeholder for the message id while a payload is built; as long as any id. */
const placeholderId = crypto.randomUUID();

/** How a provider's payload is written: as JSON, shortened to a size in bytes. */
export interface PayloadFormat {
  readonly write: (id: string, content: PushContent) => string;
  readonly limit: number;
}

/**
 * Builds payloads that differ only in the message id: `write` runs once for each content, which is shortened
 * until its UTF-8 text is within the limit.
 */
export const payloadsOf = ({ limit, write }: PayloadFormat) => {
  const cache = new WeakMap<PushContent, ReadonlyArray<string>>();
  const sizeOf = (content: PushContent) => Buffer.byteLength(write(placeholderId, content));
  return (id: string, content: PushContent): string => {
    let parts = cache.get(content);
    if (parts === undefined) {
      parts = write(placeholderId, shortened(content, limit, sizeOf)).split(placeholderId);
      cache.set(content, parts);
    }
    return parts.join(id);
  };
};
