/** "Review": what will happen, to how many, from when, within which limits, and what will not arrive. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ApiProblem } from "../data/ApiCall.ts";
import { isWritten, type MessageValues } from "../notifications/NotificationForm.ts";
import { LoadProblem, Loading } from "../parts/PageFrame.tsx";
import { type CampaignValues, isIncomplete } from "./CampaignForm.ts";
import { stepAddress } from "./EditorSteps.tsx";
import { type PublishSummary, Receivers, SummaryFacts, summaryOf } from "./PublishSummary.tsx";

/** Everything that is missing before it can be published, each with its step. */
const missingOf = (values: CampaignValues, messages: PublishSummary["messages"]) => {
  const targets = values.location_ids.length + values.location_group_ids.length;
  const missing = [
    values.name.trim() === "" && (["message", "A name."] as const),
    messages !== null &&
      !messages.some(isWritten) &&
      (["message", "A message: at least a headline and a body."] as const),
    values.type === "geo" && targets === 0 && (["who", "A location or a location group."] as const),
  ].filter((each) => each !== false);
  return missing.length === 0 && isIncomplete(values)
    ? [["when", "The dates or limits are not complete."] as const]
    : missing;
};

/** The summary of what is typed, as far as it is complete. */
export const ReviewStep = ({
  children,
  messages,
  values,
}: {
  readonly values: CampaignValues;
  readonly messages: ReadonlyArray<MessageValues> | null;
  readonly children: ComponentChildren;
}) => {
  const [summary, setSummary] = useState<PublishSummary | null>(null);
  const [problem, setProblem] = useState<ApiProblem>();
  const missing = missingOf(values, messages);
  const key = JSON.stringify([values, messages]);
  useEffect(() => {
    setSummary(null);
    setProblem(undefined);
    if (missing.length > 0) return;
    let isGone = false;
    summaryOf(values, messages).then(
      (found) => void (isGone || setSummary(found)),
      (error: unknown) => void (isGone || setProblem(error as ApiProblem)),
    );
    return () => void (isGone = true);
  }, [key]);
  return (
    <div class="review">
      {missing.length > 0 && (
        <div class="notice notice-problem">
          <p>It can be saved, but not be published yet. This is missing:</p>
          <ul class="bullets">
            {missing.map(([step, text]) => (
              <li key={text}>
                <a href={stepAddress(step)}>{text}</a>
              </li>
            ))}
          </ul>
        </div>
      )}
      <LoadProblem problem={problem} />
      {missing.length === 0 && summary === null && problem === undefined && <Loading />}
      {summary !== null && (
        <>
          <SummaryFacts summary={summary} />
          <Receivers summary={summary} />
        </>
      )}
      {children}
    </div>
  );
};
