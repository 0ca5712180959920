/** How many devices a rule holds, while it is written. */
import { useEffect, useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { ApiProblem, send } from "../data/ApiCall.ts";
import type { SegmentRule } from "../data/Resources.ts";
import { formatCount } from "../parts/DisplayFormats.ts";

const pauseMillis = 250;

interface Counted {
  readonly rule: string;
  readonly devices: number | null;
  /** Why the API does not count it. */
  readonly problem: string | null;
}

const sentenceOf = (error: unknown): string =>
  error instanceof ApiProblem ? (Object.values(error.fields)[0]?.[0] ?? error.message) : String(error);

/** Counts a rule when the typing pauses. Null is a rule that is not complete. */
const useCount = (rule: SegmentRule | null): Counted | null => {
  const [counted, setCounted] = useState<Counted | null>(null);
  const text = rule === null ? null : JSON.stringify(rule);
  useEffect(() => {
    if (text === null) return setCounted(null);
    const abort = new AbortController();
    const count = async (): Promise<void> => {
      const draft = { rule: JSON.parse(text) as SegmentRule };
      const { data } = await send(platform.segments.count(draft, { signal: abort.signal }));
      setCounted({ rule: text, devices: data.devices, problem: null });
    };
    const timer = setTimeout(() => {
      count().catch((error: unknown) => {
        if (!abort.signal.aborted) setCounted({ rule: text, devices: null, problem: sentenceOf(error) });
      });
    }, pauseMillis);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text]);
  return counted;
};

/** The number of devices of a rule; the last one stays while the next is counted. */
export const RuleCount = ({ rule }: { readonly rule: SegmentRule | null }) => {
  const counted = useCount(rule);
  const text =
    rule === null
      ? "Complete the rule to count its devices."
      : (counted?.problem ??
        (counted?.devices === undefined || counted.devices === null
          ? "Counting…"
          : formatCount(counted.devices, "device")));
  return (
    <p class="rule-count" role="status" aria-label="Devices of this rule">
      {/* A new element with each text: some screen readers miss a text that only changes. */}
      <span key={text}>{text}</span>
    </p>
  );
};
