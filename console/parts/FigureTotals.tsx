/** Totals as large figures, each with its change. A press chooses the figure of the chart below. */
import { formatChange, formatNumber } from "./DisplayFormats.ts";

/** A total and what it was in the period before. */
export interface TotalFigure<Key extends string> {
  readonly key: Key;
  readonly label: string;
  readonly value: number;
  /** Undefined until it is known. */
  readonly before: number | undefined;
}

interface FigureTotalsProps<Key extends string> {
  readonly label: string;
  readonly figures: ReadonlyArray<TotalFigure<Key>>;
  readonly isCompared: boolean;
  /** The period before, such as "in the 30 days before". */
  readonly beforeLabel: string;
  readonly chosen: Key;
  readonly onChoose: (key: Key) => void;
}

/** A change as people read it: "+12 % from 1,234". */
export const changeText = (from: number, to: number): string => {
  const change = formatChange(from, to);
  return change === null ? "from 0" : `${change} from ${formatNumber(from)}`;
};

/** The totals of a range. */
export const FigureTotals = <Key extends string>({
  beforeLabel,
  chosen,
  figures,
  isCompared,
  label,
  onChoose,
}: FigureTotalsProps<Key>) => (
  <ul class="totals" aria-label={label}>
    {figures.map(({ before, key, label: name, value }) => (
      <li key={key}>
        <button type="button" class="total" aria-pressed={chosen === key} onClick={() => onChoose(key)}>
          <span class="total-label">{name}</span>
          <span class="total-value">{formatNumber(value)}</span>
          {isCompared && (
            <span class="change">
              {before === undefined ? "…" : changeText(before, value)}
              <span class="unseen"> {beforeLabel}</span>
            </span>
          )}
        </button>
      </li>
    ))}
  </ul>
);
