/** Media files on pages. */

/**
 * The address at which this server serves a media file or its thumbnail. The public address may name another
 * host, which the policy of the pages does not allow.
 */
export const mediaSource = (url: string): string => {
  const parts = new URL(url).pathname.split("/").filter((part) => part !== "");
  return `/media/${parts.slice(parts.at(-1) === "thumbnail" ? -2 : -1).join("/")}`;
};

const units = ["bytes", "kB", "MB", "GB"] as const;

/** A size in bytes as "183 kB". */
export const formatBytes = (bytes: number): string => {
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  const digits = { maximumFractionDigits: value < 10 && unit > 0 ? 1 : 0 };
  return `${value.toLocaleString("en", digits)} ${units[unit]}`;
};
