/** "Repeats": every … on … until …, with the next dates. */
import { useState } from "preact/hooks";
import { formatDay, today } from "../parts/DisplayFormats.ts";
import { CheckField, FieldGroup, SelectField, TextField } from "../parts/form/Fields.tsx";
import type { FormModel } from "../parts/form/Form.tsx";
import { MonthCalendar } from "../parts/MonthCalendar.tsx";
import { daysOf, monthDays, type RecurrenceValues, sentRecurrence, weekdays } from "./RecurrenceForm.ts";

/** The values of a form that has the fields. */
interface RecurringValues extends RecurrenceValues {
  readonly starts_at: string;
  readonly ends_at: string;
  readonly timezone: string;
}

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
  const recurrence = sentRecurrence(values, start);
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
        <h3>Next dates</h3>
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
  const set = (changes: Partial<RecurringValues>) => form.set(changes as Partial<Values>);
  const { repeat, repeat_on: on, starts_at: start } = values;
  const field = (of: keyof RecurringValues, name: string) => ({
    name,
    value: values[of],
    onValue: (value: string) => set({ [of]: value }),
  });
  const days = on.split(",").filter((day) => day !== "");
  return (
    <>
      <SelectField
        name="recurrence"
        label="Repeats"
        value={repeat}
        choices={choices}
        onValue={(value) => set({ repeat: value as RecurrenceValues["repeat"], repeat_on: "" })}
      />
      {repeat !== "" && (
        <FieldGroup label="When it repeats" hint="From the day of the start on.">
          {repeat === "rule" ? (
            <TextField
              {...field("repeat_rule", "recurrence.rule")}
              label="Rule"
              hint="As in calendars (RRULE of RFC 5545), such as FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=-1."
            />
          ) : (
            <TextField
              {...field("repeat_every", "repeat_every")}
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
                      set({
                        repeat_on: (isOn ? [...days, key] : days.filter((day) => day !== key)).join(","),
                      })
                    }
                  />
                ))}
              </div>
            </fieldset>
          )}
          {repeat === "MONTHLY" && (
            <SelectField {...field("repeat_on", "repeat_on")} label="On" choices={monthDays(start)} />
          )}
          <TextField
            {...field("ends_at", "ends_at")}
            type="date"
            label="Until"
            hint="The last day. Empty: no end."
          />
          {repeat !== "rule" && (
            <TextField
              {...field("repeat_count", "repeat_count")}
              label="So many times"
              inputMode="numeric"
              placeholder="Any number"
            />
          )}
          <TextField
            {...field("repeat_except", "recurrence.except")}
            label="Not on"
            hint="Dates, with commas between them, such as 2026-12-28."
          />
        </FieldGroup>
      )}
      <NextDates values={values} />
    </>
  );
};
