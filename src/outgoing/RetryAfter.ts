/** More than any caller waits. */
const maxSeconds = 1e9;

/** The milliseconds of a `Retry-After` header (RFC 9110: seconds or a date); null if unreadable. */
export const retryAfterMillis = (header: string | undefined, now: number): number | null => {
  const text = header?.trim() ?? "";
  if (/^\d+$/.test(text)) return Math.min(Number(text), maxSeconds) * 1000;
  const at = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
};
