/** "Experiment" on the page of a campaign: what happened, how sure it is, and the end of it. */
import { useState } from "preact/hooks";
import { platform } from "../../data/Api.ts";
import { useData } from "../../data/Query.ts";
import type {
  Campaign,
  Experiment,
  ExperimentArm,
  ExperimentWinner,
  Notification,
} from "../../data/Resources.ts";
import { ActionButton } from "../../parts/ActionButton.tsx";
import { CardSection } from "../../parts/CardSection.tsx";
import { ConfirmButton } from "../../parts/ConfirmButton.tsx";
import { type Column, DataTable } from "../../parts/DataTable.tsx";
import { formatCount, formatInstant, formatNumber } from "../../parts/DisplayFormats.ts";
import { CheckField } from "../../parts/form/Fields.tsx";
import { LoadProblem } from "../../parts/PageFrame.tsx";
import { saveCsv } from "../../reports/ReportFiles.ts";
import { may } from "../../session/SessionState.ts";
import { ExperimentChart } from "./ExperimentChart.tsx";
import { figuresOf, findingOf, goals, inOrder, namesOf, rateText } from "./ExperimentWords.ts";

interface ShownProps {
  readonly campaign: Campaign;
  readonly experiment: Experiment;
  readonly nameOf: ReturnType<typeof namesOf>;
}

const Arms = ({ experiment, nameOf }: Omit<ShownProps, "campaign">) => {
  const { arms, goal } = experiment;
  const columns: ReadonlyArray<Column<ExperimentArm>> = [
    { key: "arm", heading: "They got", cell: (arm) => <span dir="auto">{nameOf(arm)}</span> },
    {
      key: "people",
      heading: "People",
      isFigure: true,
      cell: ({ enrolled }) => formatNumber(enrolled),
    },
    {
      key: "converted",
      heading: goal === null ? "Reached the goal" : `Of these ${goals[goal.type][1]}`,
      isFigure: true,
      cell: ({ converted }) => (converted === null ? "–" : formatNumber(converted)),
    },
    { key: "rate", heading: "Share", isFigure: true, cell: rateText },
  ];
  const rowKey = ({ key, notification_id: id }: ExperimentArm) => `${id} ${key}`;
  return <DataTable label="What they got" columns={columns} rows={arms} rowKey={rowKey} />;
};

/** Ends the experiment, with a winner or without. */
const StopButton = ({
  campaign,
  experiment,
  nameOf,
  winner,
}: ShownProps & { readonly winner: ExperimentWinner | null }) => {
  const [isKept, setKept] = useState(false);
  const name = winner === null ? "the original" : nameOf(winner);
  const hasVariants = experiment.arms.some((arm) => arm.notification_id !== null);
  const hasHoldout = experiment.arms.some(({ key }) => key === "holdout");
  const action = winner === null ? "Stop without a winner" : `Use ${name} for everybody`;
  return (
    <ConfirmButton
      title={`${action}?`}
      action={action}
      isDangerous={false}
      request={platform.experiments.stop(campaign.id, { winner, keep_holdout: hasHoldout && isKept })}
      done="The experiment is stopped."
    >
      <ul class="bullets">
        <li>{hasVariants ? `From now on everybody gets ${name}.` : "The experiment ends."}</li>
        <li>Nobody joins the experiment any more. Its results stay.</li>
        <li>This cannot be undone.</li>
      </ul>
      {hasHoldout && (
        <CheckField
          label="Those who got no message go on getting none"
          isChecked={isKept}
          onValue={setKept}
        />
      )}
    </ConfirmButton>
  );
};

const StopButtons = (props: ShownProps) => (
  <div class="actions">
    {inOrder(props.experiment).flatMap(({ key, notification_id: id }) =>
      id === null
        ? []
        : [<StopButton key={`${id} ${key}`} {...props} winner={{ notification_id: id, key }} />],
    )}
    <StopButton {...props} winner={null} />
  </div>
);

const Findings = ({ experiment, nameOf }: Omit<ShownProps, "campaign">) => {
  const { goal, started_at: start } = experiment;
  if (start === null) return <p>Nobody is in it yet: it begins with the first message.</p>;
  if (goal === null) return <p>The campaign has no goal, so nothing can be compared.</p>;
  return (
    <ul class="lines findings">
      {inOrder(experiment).map((comparison) => {
        const [happened, sure] = findingOf(experiment, comparison, nameOf);
        return (
          <li key={`${comparison.notification_id} ${comparison.key}`} dir="auto">
            <strong>{happened}</strong> {sure}
          </li>
        );
      })}
    </ul>
  );
};

/** The course of the experiment, once it has more than a day. */
const Days = ({ campaign, experiment, nameOf }: ShownProps) => {
  const isAny = experiment.goal !== null && experiment.started_at !== null;
  const { data } = useData(isAny ? platform.experiments.days(campaign.id) : null);
  const days = data?.data ?? [];
  if (days[0]?.date === days.at(-1)?.date) return null;
  return <ExperimentChart days={days} nameOf={nameOf} />;
};

const Shown = (props: ShownProps) => {
  const { campaign, experiment, nameOf } = props;
  const { goal, sample_ratio: ratio, status, stopped_at: stop, winner } = experiment;
  const hasVariants = experiment.arms.some((arm) => arm.notification_id !== null);
  return (
    <CardSection
      title="Experiment"
      actions={
        <ActionButton onPress={() => saveCsv(platform.experiments.get(campaign.id), null)}>
          Save CSV
        </ActionButton>
      }
    >
      {ratio?.ok === false && (
        <p class="notice notice-problem" role="alert">
          Do not trust these results: people are not divided as planned, by more than chance explains.
          Something treats them differently, such as a script that pauses the campaign.
        </p>
      )}
      <Findings experiment={experiment} nameOf={nameOf} />
      {stop !== null && (
        <p class="notice">
          Stopped on {formatInstant(stop, campaign.timezone)}.{" "}
          {hasVariants && `Everybody gets ${winner === null ? "the original" : nameOf(winner)} since then. `}
          Who was in it counts until the hours of the goal are over.
        </p>
      )}
      <Arms experiment={experiment} nameOf={nameOf} />
      <Days {...props} />
      {status === "running" && may("campaigns:write") && <StopButtons {...props} />}
      {goal !== null && (
        <p class="quiet">
          A person counts within {formatCount(goal.within_hours, "hour")}. The ranges stay right however often
          they are read. {experiment.comparisons.map((each) => figuresOf(each, nameOf)).join(" ")}
        </p>
      )}
    </CardSection>
  );
};

/** The experiment of a campaign, if it has one. */
export const ExperimentCard = ({
  campaign,
  messages,
}: {
  readonly campaign: Campaign;
  readonly messages: ReadonlyArray<Notification> | undefined;
}) => {
  const isOne =
    campaign.holdout_percent > 0 || messages?.some(({ variants }) => variants.length > 0) === true;
  const { data, problem } = useData(
    isOne && may("reports:read") ? platform.experiments.get(campaign.id) : null,
  );
  const experiment = data?.data;
  if (experiment === undefined) return <LoadProblem problem={problem} />;
  if (experiment.status === "none") return null;
  return <Shown campaign={campaign} experiment={experiment} nameOf={namesOf(experiment, messages)} />;
};
