import { Schema } from "effect";
import { LocalDate } from "../../time/LocalTime.ts";
import { maxRuleLength, parseRule } from "../../time/RecurrenceRule.ts";
import { optionalOrNull, text } from "../../wire/Text.ts";

const maxExceptions = 366;

const ruleText = {
  description:
    "A recurrence rule of RFC 5545 over days of the campaign's zone, without RRULE: `FREQ` (`DAILY`, " +
    "`WEEKLY`, `MONTHLY`, `YEARLY`), `INTERVAL`, `BYDAY`, `BYMONTHDAY`, `BYMONTH`, `BYSETPOS`, `WKST`, and " +
    "`COUNT` or `UNTIL` (YYYYMMDD) or neither. It ends after 100 years, and must meet a day by then.",
  example: "FREQ=WEEKLY;BYDAY=MO",
};
const exceptText = {
  description: "Dates on which nothing is sent, although the rule meets them. `COUNT` counts them.",
  examples: [["2026-12-28" as LocalDate]],
};

/** When a push campaign sends again and again (contract V1). */
export const Recurrence = Schema.Struct({
  rule: Schema.String.annotate({ description: ruleText.description, examples: [ruleText.example] }),
  except: Schema.Array(LocalDate).annotate(exceptText),
}).annotate({ identifier: "Recurrence" });
export type Recurrence = typeof Recurrence.Type;

/** A recurrence, as it is sent. */
export const RecurrenceDraft = Schema.Struct({
  rule: text({ max: maxRuleLength, ...ruleText }).check(
    Schema.makeFilter((rule: string) => {
      const read = parseRule(rule);
      return typeof read === "string" ? read : true;
    }),
  ),
  except: optionalOrNull(
    Schema.Array(LocalDate)
      .annotate(exceptText)
      .check(
        Schema.isMaxLength(maxExceptions, {
          message: `The {field} can have at most ${maxExceptions} dates.`,
        }),
      ),
  ),
}).annotate({ identifier: "RecurrenceDraft" });
export type RecurrenceDraft = typeof RecurrenceDraft.Type;

/** A sent recurrence as it is stored. */
export const storedRecurrence = (sent: RecurrenceDraft | null | undefined): Recurrence | null =>
  sent === null || sent === undefined ? null : { rule: sent.rule, except: sent.except ?? [] };
