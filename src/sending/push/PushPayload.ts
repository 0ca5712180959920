import type { MessageContent } from "../../notifications/MessageContent.ts";
import type { shownMedia } from "../../media/MediaAddress.ts";

/** What a push carries beside the message's id: the same for everybody who gets the same notification of a campaign. */
export interface PushContent extends Pick<
  MessageContent,
  "type" | "headline" | "body" | "cta_label" | "cta_url"
> {
  readonly campaign_id: string;
  readonly notification_id: string;
  readonly media: ReturnType<typeof shownMedia>;
}

/** The payload of a push, in the order of the contract (L8). */
export const pushPayload = (id: string, content: PushContent) => {
  const { body, campaign_id, cta_label, cta_url, headline, media, notification_id, type } = content;
  return { id, type, campaign_id, notification_id, headline, body, media, cta_label, cta_url };
};

/** Bytes that a push service has room for. */
export const payloadLimit = 4096;

const ellipsis = "…";
const characters = new Intl.Segmenter("und", { granularity: "grapheme" });

/** The longest beginning that fits, cut between characters as people see them, with an ellipsis. */
const shortestLoss = (text: string, fits: (shorter: string) => boolean): string => {
  // No character has less than one byte, so what fits lies in the first few thousand.
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
 * The content as it fits into what `sizeOf` measures, in bytes: the body is shortened first; where that is not enough, the media file is
 * left out, then the button, and at last the headline is shortened. `sizeOf` grows with every text.
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
    return fits(rest) ? rest : { ...rest, body: shortestLoss(rest.body, (body) => fits({ ...rest, body })) };
  }
  const bare = { ...content, ...without.at(-1), body: ellipsis };
  return { ...bare, headline: shortestLoss(bare.headline, (headline) => fits({ ...bare, headline })) };
};

/** Stands for the id of a message while a payload is made; as long as every id. */
const anyId = crypto.randomUUID();

/**
 * Makes payloads that differ in nothing but the message's id: `write` is asked once for each content, and what it writes must fit
 * into the limit, in UTF-8, after shortening.
 */
export const payloadsOf = (write: (id: string, content: PushContent) => string, limit = payloadLimit) => {
  const known = new WeakMap<PushContent, ReadonlyArray<string>>();
  const sizeOf = (content: PushContent) => Buffer.byteLength(write(anyId, content));
  return (id: string, content: PushContent): string => {
    let parts = known.get(content);
    if (parts === undefined) {
      parts = write(anyId, shortened(content, limit, sizeOf)).split(anyId);
      known.set(content, parts);
    }
    return parts.join(id);
  };
};
