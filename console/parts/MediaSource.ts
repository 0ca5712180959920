/** Media files on pages. */

/**
 * The address at which this server serves a media file or its thumbnail. The public address may name another
 * host, which the policy of the pages does not allow.
 */
export const mediaSource = (url: string): string => {
  const parts = new URL(url).pathname.split("/").filter((part) => part !== "");
  return `/media/${parts.slice(parts.at(-1) === "thumbnail" ? -2 : -1).join("/")}`;
};

/** The files that a choice offers: the endings as well, as some systems do not know the type of each. */
export const acceptedMedia =
  "image/jpeg,image/png,image/gif,image/webp,video/mp4,video/quicktime,video/webm,audio/mpeg,audio/mp4," +
  "audio/wav,audio/ogg,.jpg,.jpeg,.png,.gif,.webp,.mp4,.mov,.webm,.mp3,.m4a,.wav,.ogg";

const units = ["bytes", "kB", "MB", "GB"] as const;

/** A size in bytes as "183 kB". */
export const formatBytes = (bytes: number): string => {
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  const digits = { maximumFractionDigits: value < 10 && unit > 0 ? 1 : 0 };
  return `${value.toLocaleString("en", digits)} ${units[unit]}`;
};
