/** Totals as large figures, each with its change. A press chooses the figure of the chart below. */
import { formatChange, formatNumber } from "./DisplayFormats.ts";

/** A total and what it was in the period before. */
export interface TotalFigure<Key extends string> {
  /** The figure of the chart that a press chooses; others lead to `href`. */
  readonly key?: Key;
  readonly href?: string;
  readonly label: string;
  /** Undefined until it is known, as `before`. */
  readonly value: number | undefined;
  readonly before: number | undefined;
  /** A rate, such as "12.3 %". */
  readonly note?: string | undefined;
}

interface FigureTotalsProps<Key extends string> {
  readonly label: string;
  readonly figures: ReadonlyArray<TotalFigure<Key>>;
  /** The days that the totals are compared with; null without a comparison. */
  readonly beforeText: string | null;
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
  beforeText,
  chosen,
  figures,
  label,
  onChoose,
}: FigureTotalsProps<Key>) => (
  <div class="stack">
    <ul class="totals" aria-label={label}>
      {figures.map(({ before, href, key, label: name, note, value }) => {
        const content = (
          <>
            <span class="total-label">{name}</span>
            <span class="total-value">{value === undefined ? "…" : formatNumber(value)}</span>
            {note !== undefined && <span class="change">{note} of delivered</span>}
            {beforeText !== null && (
              <span class="change">
                {before === undefined || value === undefined ? "…" : changeText(before, value)}
              </span>
            )}
          </>
        );
        return (
          <li key={name}>
            {key === undefined ? (
              <a class="total" href={href ?? ""}>
                {content}
              </a>
            ) : (
              <button type="button" class="total" aria-pressed={chosen === key} onClick={() => onChoose(key)}>
                {content}
              </button>
            )}
          </li>
        );
      })}
    </ul>
    {beforeText !== null && (
      <p class="facts">Changes are those from {beforeText}, as many days and the same days of the week.</p>
    )}
  </div>
);
