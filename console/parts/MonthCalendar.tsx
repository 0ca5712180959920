/** A month as a table of weeks. */
import type { ComponentChildren } from "preact";
import { Button } from "./Button.tsx";
import { addDays } from "./DisplayFormats.ts";

const names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

const monthFormat = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });

/** A month such as 2026-12, some months later, or earlier for a negative number. */
const addMonths = (month: string, months: number): string =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5, 7)) - 1 + months))
    .toISOString()
    .slice(0, 7);

/** The days of a month's weeks, from Monday on, as YYYY-MM-DD. */
const weeksOf = (month: string): ReadonlyArray<ReadonlyArray<string>> => {
  const first = `${month}-01`;
  const monday = addDays(first, -((new Date(`${first}T12:00:00Z`).getUTCDay() + 6) % 7));
  const weeks = Array.from({ length: 6 }, (_, week) =>
    names.map((_name, day) => addDays(monday, week * 7 + day)),
  );
  return weeks.filter((week) => week.some((day) => day.startsWith(month)));
};

/** The weeks of a month, with buttons for the one before and the next. */
export const MonthCalendar = ({
  children,
  isSmall = false,
  month,
  onMonth,
}: {
  /** As YYYY-MM. */
  readonly month: string;
  readonly onMonth: (month: string) => void;
  /** The content of a day; null for nothing. */
  readonly children: (day: string) => ComponentChildren;
  readonly isSmall?: boolean;
}) => (
  <div class={isSmall ? "calendar calendar-small" : "calendar"}>
    <div class="actions">
      <Button onPress={() => onMonth(addMonths(month, -1))}>Month before</Button>
      <Button onPress={() => onMonth(addMonths(month, 1))}>Next month</Button>
    </div>
    <table>
      <caption aria-live="polite">{monthFormat.format(new Date(`${month}-15T12:00:00Z`))}</caption>
      <thead>
        <tr>
          {names.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeksOf(month).map((week) => (
          <tr key={week[0]}>
            {week.map((day) => (
              <td key={day}>
                {day.startsWith(month) && (
                  <>
                    <time dateTime={day}>{Number(day.slice(8))}</time>
                    {children(day)}
                  </>
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
