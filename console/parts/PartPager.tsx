import { Button } from "./Button.tsx";
import { formatNumber } from "./DisplayFormats.ts";

interface PartPagerProps {
  /** The part that is shown, from 0. */
  readonly part: number;
  /** The items of a part. */
  readonly size: number;
  readonly total: number;
  readonly onPart: (part: number) => void;
}

/** The way through the parts of a list that is all there. */
export const PartPager = ({ onPart, part, size, total }: PartPagerProps) => {
  if (total <= size) return null;
  const first = part * size + 1;
  const last = Math.min(total, first + size - 1);
  return (
    <div class="card-head">
      <Button isDisabled={part === 0} onPress={() => onPart(part - 1)}>
        Previous
      </Button>
      <p role="status">
        {formatNumber(first)}–{formatNumber(last)} of {formatNumber(total)}
      </p>
      <Button isDisabled={last === total} onPress={() => onPart(part + 1)}>
        Next
      </Button>
    </div>
  );
};
