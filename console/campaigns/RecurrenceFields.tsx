/** "Repeats": every … on … until …, with the next dates. */
import { useState } from "preact/hooks";
import { formatDay, today } from "../parts/DisplayFormats.ts";
import { CheckField, FieldGroup, SelectField, TextField } from "../parts/form/Fields.tsx";
import type { FormModel } from "../parts/form/Form.tsx";
import { MonthCalendar } from "../parts/MonthCalendar.tsx";
import { endOfChanged, sentRecurrence } from "./CampaignForm.ts";
import { daysOf } from "./RecurrenceDates.ts";
import {
  choicesOf,
  monthDays,
  type RecurrenceValues,
  type RecurringValues,
  ruleOf,
  weekdays,
} from "./RecurrenceForm.ts";

const choices = [
  { value: "", text: "Never: one day" },
  { value: "DAILY", text: "Every day, or every few days" },
  { value: "WEEKLY", text: "Every week, or every few weeks" },
  { value: "MONTHLY", text: "Every month, or every few months" },
  { value: "YEARLY", text: "Every year, or every few years" },
  { value: "rule", text: "By a rule of your own" },
] as const;
const units = { DAILY: "days", WEEKLY: "weeks", MONTHLY: "months", YEARLY: "years" };

const weekdayFormat = new Intl.DateTimeFormat("en-GB", { weekday: "long", timeZone: "UTC" });
/** A day such as 2026-11-30 as "Monday 30 Nov 2026". */
const inWords = (day: string): string =>
  `${weekdayFormat.format(new Date(`${day}T12:00:00Z`))} ${formatDay(day)}`;

const shownDates = 5;

/** The next dates in words, and those of a month on a small calendar. */
const NextDates = ({ values }: { readonly values: RecurringValues }) => {
  const [chosen, setMonth] = useState<string | null>(null);
  const { ends_at: end, starts_at: start, timezone } = values;
  const recurrence = sentRecurrence(values);
  if (recurrence === null || !/^\d{4}-\d\d-\d\d/.test(start)) return null;
  const to = /^\d{4}-\d\d-\d\d/.exec(end)?.[0] ?? "";
  const next = daysOf(recurrence, start, { from: today(timezone), to, most: shownDates });
  if (typeof next === "string") return <p class="hint">{next}</p>;
  const month = chosen ?? (next[0] ?? start).slice(0, 7);
  const inMonth = daysOf(recurrence, start, { from: `${month}-01`, to: `${month}-31`, most: 31 });
  const marked = new Set(typeof inMonth === "string" ? [] : inMonth);
  return (
    <div class="next-dates">
      <div>
        <p>
          <strong>Next dates</strong>
        </p>
        {next.length === 0 && <p class="quiet">No date is to come.</p>}
        <ol class="lines">
          {next.map((day) => (
            <li key={day}>{inWords(day)}</li>
          ))}
        </ol>
      </div>
      <MonthCalendar month={month} onMonth={setMonth} isSmall>
        {(day) => marked.has(day) && (to === "" || day <= to) && <span class="calendar-mark">sends</span>}
      </MonthCalendar>
    </div>
  );
};

/** The fields of the recurrence of a push campaign, in any form that has their values. */
export const RecurrenceFields = <Values extends RecurringValues>({
  form,
}: {
  readonly form: FormModel<Values>;
}) => {
  const values = form.values.value;
  const { ends_at: end, recurrence_rule: rule, starts_at: start } = values;
  const [isOwn, setOwn] = useState(false);
  const chosen = choicesOf(rule, start);
  const { repeat_count: count, repeat_every: every, repeat_on: on } = chosen;
  const repeat = isOwn ? "rule" : chosen.repeat;
  const set = (changes: Partial<RecurringValues>) =>
    form.set({ ...endOfChanged(values, form.base.value), ...changes } as Partial<Values>);
  const choose = (changes: Partial<RecurrenceValues>) =>
    set({ recurrence_rule: ruleOf({ ...chosen, ...changes }, start) });
  const days = on.split(",").filter((day) => day !== "");
  return (
    <>
      <SelectField
        name="recurrence"
        label="Repeats"
        value={repeat}
        choices={choices}
        onValue={(value) => {
          setOwn(value === "rule");
          if (value !== "rule") choose({ repeat: value as RecurrenceValues["repeat"], repeat_on: "" });
        }}
      />
      {repeat !== "" && (
        <FieldGroup label="When it repeats" hint="From the day of the start on.">
          {repeat === "rule" ? (
            <TextField
              name="recurrence.rule"
              value={rule}
              onValue={(typed) => set({ recurrence_rule: typed })}
              label="Rule"
              hint="As in calendars (RRULE of RFC 5545), such as FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=-1."
            />
          ) : (
            <TextField
              name="repeat_every"
              value={every}
              onValue={(typed) => choose({ repeat_every: typed })}
              label={`Every so many ${units[repeat]}`}
              inputMode="numeric"
            />
          )}
          {repeat === "WEEKLY" && (
            <fieldset class="field-group">
              <legend>On</legend>
              <div class="check-group">
                {Object.entries(weekdays).map(([key, name]) => (
                  <CheckField
                    key={key}
                    label={name}
                    isChecked={days.includes(key)}
                    onValue={(isOn) =>
                      choose({
                        repeat_on: (isOn ? [...days, key] : days.filter((day) => day !== key)).join(","),
                      })
                    }
                  />
                ))}
              </div>
            </fieldset>
          )}
          {repeat === "MONTHLY" && (
            <SelectField
              name="repeat_on"
              value={on}
              onValue={(value) => choose({ repeat_on: value })}
              label="On"
              choices={monthDays(start)}
            />
          )}
          <TextField
            name="ends_at"
            value={end.slice(0, 10)}
            onValue={(day) => set({ ends_at: day })}
            type="date"
            label="Until"
            hint="The last day. Empty: no end."
          />
          {repeat !== "rule" && (
            <TextField
              name="repeat_count"
              value={count}
              onValue={(typed) => choose({ repeat_count: typed })}
              label="So many times"
              inputMode="numeric"
              placeholder="Any number"
            />
          )}
          <TextField
            name="recurrence.except"
            value={values.recurrence_except}
            onValue={(typed) => set({ recurrence_except: typed })}
            label="Not on"
            hint="Dates, with commas between them, such as 2026-12-28."
          />
        </FieldGroup>
      )}
      <NextDates values={values} />
    </>
  );
};
