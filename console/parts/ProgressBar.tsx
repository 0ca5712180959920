/** How far something is, as a bar and in words. */
export const ProgressBar = ({
  done,
  label,
  text,
  total,
}: {
  /** The work in progress, for screen readers. */
  readonly label: string;
  readonly done: number;
  readonly total: number;
  /** The same in words, below the bar. */
  readonly text: string;
}) => {
  const share = total === 0 ? 0 : Math.min(1, done / total);
  return (
    <div class="progress-part">
      <div
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={Math.max(total, done)}
        aria-valuenow={done}
        aria-valuetext={text}
      >
        <svg class="progress" aria-hidden="true" height="8" width="100%" preserveAspectRatio="none">
          <rect class="progress-ground" width="100%" height="8" rx="4" />
          <rect class="progress-done" width={`${share * 100}%`} height="8" rx="4" />
        </svg>
      </div>
      <p class="hint">{text}</p>
    </div>
  );
};
