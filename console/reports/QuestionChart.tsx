/** The answers to one question as a chart. */
import { BarChart } from "../parts/chart/BarChart.tsx";
import { formatCount, formatNumber, formatPercent } from "../parts/DisplayFormats.ts";
import { FactList } from "../parts/FactList.tsx";
import type { QuestionResult } from "../data/Resources.ts";

/** The types of questions as people read them. */
export const questionTypes: Readonly<Record<QuestionResult["type"], string>> = {
  SINGLE_CHOICE: "Single choice",
  MULTIPLE_CHOICE: "Multiple choice",
  RATING: "Rating",
  SLIDER: "Slider",
  NUMBER: "Number",
  BOOLEAN: "Yes or no",
  OPEN_ENDED: "Open-ended",
};

const shown = (value: number | null | undefined): string =>
  typeof value === "number" ? formatNumber(value) : "none";

/** The main figure of a question in words. */
export const questionSummary = ({
  choices,
  false_count: no,
  mean,
  median,
  true_count: yes,
}: QuestionResult): string => {
  if (choices !== undefined) {
    const first = choices.toSorted((a, b) => b.count - a.count)[0];
    return first === undefined || first.count === 0
      ? "no answer"
      : `${first.text}: ${formatPercent(first.share)}`;
  }
  if (yes !== undefined) return `Yes ${shown(yes)}, no ${shown(no)}`;
  if (median !== undefined) return `Mean ${shown(mean)}, median ${shown(median)}`;
  if (mean !== undefined) return `Mean ${shown(mean)}`;
  return "texts";
};

const bars = ({ choices, distribution, false_count: no, true_count: yes }: QuestionResult) => {
  if (choices !== undefined)
    return choices.map(({ count, id, share, text }) => ({
      key: id,
      name: `${text} (${formatPercent(share)})`,
      value: count,
    }));
  if (distribution !== undefined)
    return distribution.map(({ count, value }) => ({ key: `${value}`, name: `${value} of 5`, value: count }));
  if (yes === undefined) return [];
  return [
    { key: "yes", name: "Yes", value: yes },
    { key: "no", name: "No", value: no ?? 0 },
  ];
};

/** A question with the figures of its type. */
export const QuestionChart = ({ question }: { readonly question: QuestionResult }) => {
  const { answered, max, mean, median, min, question_text: text, type } = question;
  const drawn = bars(question);
  return (
    <section class="card stack question-card">
      <h2>{text}</h2>
      <p class="quiet">
        {questionTypes[type]} · {formatCount(answered, "answer")}
      </p>
      {drawn.length > 0 && <BarChart label="Answers" bars={drawn} isOrdered />}
      {mean !== undefined && (
        <FactList
          facts={[
            ["Mean", shown(mean)],
            ...(median === undefined
              ? []
              : ([
                  ["Median", shown(median)],
                  ["Lowest", shown(min)],
                  ["Highest", shown(max)],
                ] as const)),
          ]}
        />
      )}
      {type === "OPEN_ENDED" && (
        <p class="quiet">The texts are in the answers, which “Answers as CSV” saves.</p>
      )}
    </section>
  );
};
