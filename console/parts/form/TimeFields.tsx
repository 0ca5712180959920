/** Days and times of day by the controls of the browser. Values are as the API has them. */
import type { BoundField } from "./BoundField.ts";
import { Field, type FieldProps, TextField } from "./Fields.tsx";

type TimeProps = BoundField & Omit<FieldProps, "name">;

/** A time of day, as HH:MM. */
export const TimeField = (field: TimeProps) => <TextField {...field} type="time" />;

/** A day, or a day and a time of it: YYYY-MM-DD, or YYYY-MM-DD HH:MM. */
export const DayTimeField = ({ label, onValue, value, ...field }: TimeProps) => {
  const [first = "", second = ""] = value.trim().split(/[T ]+/);
  // The time may be typed before the day.
  const [day, time] = first.includes(":") ? ["", first] : [first, second];
  return (
    <Field {...field} label={label}>
      {(attributes) => (
        <div class="day-time">
          <input
            {...attributes}
            type="date"
            value={day}
            onInput={({ currentTarget }) => onValue(`${currentTarget.value} ${time}`.trim())}
          />
          <input
            type="time"
            aria-label={`${label}, time`}
            value={time}
            onInput={({ currentTarget }) => onValue(`${day} ${currentTarget.value}`.trim())}
          />
        </div>
      )}
    </Field>
  );
};
