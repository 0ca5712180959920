/** The range of a report: presets, two days, and whether it is compared. */
import type { ApiProblem } from "../data/ApiCall.ts";
import { Button } from "../parts/Button.tsx";
import { formatRange } from "../parts/DisplayFormats.ts";
import { DayFilter } from "../parts/Filters.tsx";
import { CheckField } from "../parts/form/Fields.tsx";
import { setParameters } from "../routing/Router.ts";
import { type ChosenRange, isCompared, presetDays, presetRange, setCompared } from "./ChosenRange.ts";

interface RangeChoiceProps {
  readonly range: ChosenRange;
  readonly timezone: string;
  readonly problem: ApiProblem | undefined;
}

const setRange = (start: string, end: string): void => setParameters({ start, end });

/** The controls of the range. The API's sentences about a day stand at its field. */
export const RangeChoice = ({ problem, range, timezone }: RangeChoiceProps) => {
  const { before, end, start } = range;
  return (
    <div class="range" role="group" aria-label="Range">
      <div class="actions">
        {presetDays.map((days) => {
          const preset = presetRange(days, timezone);
          return (
            <Button
              key={days}
              isPressed={preset.start === start && preset.end === end}
              onPress={() => setRange(preset.start, preset.end)}
            >
              {`Last ${days} days`}
            </Button>
          );
        })}
      </div>
      <DayFilter
        label="Start date"
        value={start}
        problems={problem?.fields["start"] ?? []}
        onValue={(day) => setRange(day, end)}
      />
      <DayFilter
        label="End date"
        value={end}
        problems={problem?.fields["end"] ?? []}
        onValue={(day) => setRange(start, day)}
      />
      <div class="range-compare">
        <CheckField label="Compare with the period before" isChecked={isCompared()} onValue={setCompared} />
        {before !== null && <p class="hint">{formatRange(before)}, the same days of the week</p>}
      </div>
    </div>
  );
};
