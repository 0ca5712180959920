/** The installation: what `waypost doctor` finds, the version, and the documentation of the API. */
import { operator } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import type { HealthReport } from "../data/Resources.ts";
import { Badge, type Tone } from "../parts/Badge.tsx";
import { CardSection } from "../parts/CardSection.tsx";
import { type Column, DataTable } from "../parts/DataTable.tsx";
import { FactList } from "../parts/FactList.tsx";
import { LoadProblem, Loading } from "../parts/PageFrame.tsx";
import { addressOf } from "../routing/Router.ts";
import { isOperator } from "../session/SessionState.ts";

type Finding = HealthReport["findings"][number];

const verdicts: Readonly<Record<Finding["verdict"], readonly [text: string, tone: Tone]>> = {
  ok: ["OK", "good"],
  warning: ["Warning", "waiting"],
  problem: ["Problem", "bad"],
};
const order = ["problem", "warning", "ok"];

const columns: ReadonlyArray<Column<Finding>> = [
  {
    key: "check",
    heading: "Check",
    cell: ({ area, check }) => `${area}: ${check}`,
    sortBy: ({ area, check }) => `${area}: ${check}`,
  },
  {
    key: "verdict",
    heading: "Verdict",
    cell: ({ verdict }) => <Badge text={verdicts[verdict][0]} tone={verdicts[verdict][1]} />,
    sortBy: ({ verdict }) => order.indexOf(verdict),
  },
  {
    key: "observation",
    heading: "Observation",
    cell: ({ advice, observation }) => (
      <div class="wide-cell">
        {observation}
        {advice !== null && (
          <p>
            <strong>{advice}</strong>
          </p>
        )}
      </div>
    ),
  },
];

const HealthFindings = () => {
  // A report takes seconds to make.
  const { data, problem } = useData(operator.health.report(), { millis: 60_000 });
  return (
    <>
      <LoadProblem problem={problem} />
      {data === undefined && problem === undefined && <Loading />}
      {data !== undefined && (
        <>
          <p>
            <Badge text={data.data.ok ? "No problem" : "Problems"} tone={data.data.ok ? "good" : "bad"} />
          </p>
          <DataTable
            label="Health"
            columns={columns}
            rows={data.data.findings}
            rowKey={({ area, check, observation }) => `${area} ${check} ${observation}`}
            initialSorting={{ key: "verdict", isDescending: false }}
            searchText={({ area, check, observation }) => `${area} ${check} ${observation}`}
          />
        </>
      )}
    </>
  );
};

const version = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="waypost-version"]')?.content ?? "unknown";

/** Health is the operator's; the version and the documentation are for all. */
export const InstallationSettings = () => (
  <CardSection id="installation" title={isOperator() ? "Health of the installation" : "About"}>
    <FactList
      facts={[
        ["Version", version()],
        ["Interfaces", <a href="/docs">API documentation</a>],
        ...(isOperator()
          ? [["Console", <a href={addressOf("/settings/sessions")}>Sessions</a>] as const]
          : []),
      ]}
    />
    {isOperator() && <HealthFindings />}
  </CardSection>
);
