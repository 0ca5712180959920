import { Tracer } from "effect";
import { withoutPerson } from "./PersonMasking.ts";
import type { Mask } from "./SecretMasking.ts";

const maskValue = (value: unknown, mask: Mask): unknown => (typeof value === "string" ? mask(value) : value);

/** The attribute without what may hold secrets: queries are left out, because any value may be in them. */
const safeAttribute = (key: string, value: unknown, mask: Mask): unknown => {
  if (key === "url.query") return undefined;
  const isAddress = typeof value === "string" && (key === "url.full" || key === "url.path");
  return maskValue(isAddress ? withoutPerson(value.split("?", 1)[0] ?? "") : value, mask);
};

const maskedSpan = (span: Tracer.Span, mask: Mask): Tracer.Span => {
  const addAttribute = span.attribute.bind(span);
  const addEvent = span.event.bind(span);
  return Object.assign(span, {
    attribute: (key: string, value: unknown): void => {
      const safe = safeAttribute(key, value, mask);
      if (safe !== undefined) addAttribute(key, safe);
    },
    event: (name: string, startTime: bigint, attributes?: Record<string, unknown>): void =>
      addEvent(
        mask(name),
        startTime,
        attributes &&
          Object.fromEntries(Object.entries(attributes).map(([key, each]) => [key, maskValue(each, mask)])),
      ),
  });
};

/** A tracer whose spans hold no query strings, and no texts with the shape of a token. */
export const maskedTracer = (tracer: Tracer.Tracer, mask: Mask): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      const span = tracer.span(options);
      return span.sampled ? maskedSpan(span, mask) : span;
    },
    ...(tracer.context === undefined ? {} : { context: tracer.context }),
  });
