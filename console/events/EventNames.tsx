/** The names of events, and how many of the chosen name, or of all, occurred a day. */
import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import type { EventSummary } from "../data/Resources.ts";
import { CardSection } from "../parts/CardSection.tsx";
import { DayChart } from "../parts/chart/DayChart.tsx";
import { figureColumn, linkColumn, timeColumn } from "../parts/Columns.tsx";
import { DataTable, type Column } from "../parts/DataTable.tsx";
import { LoadProblem } from "../parts/PageFrame.tsx";
import { changedAddress, parameter } from "../routing/Router.ts";

const countedDays = 14;

const columns: ReadonlyArray<Column<EventSummary>> = [
  linkColumn(
    "Event",
    ({ name }) => name,
    ({ name }) => changedAddress({ name: name === parameter("name") ? undefined : name, cursor: undefined }),
  ),
  figureColumn("today", "Today", ({ days }) => days.at(-1)?.count ?? 0),
  figureColumn("count", `In ${countedDays} days`, ({ count }) => count),
  timeColumn("received", "Last received", (each) => each.last_received_at),
];

/** The events of all names by day. */
const sumOf = (names: ReadonlyArray<EventSummary>) =>
  (names[0]?.days ?? []).map(({ date: day }, index) => ({
    day,
    value: names.reduce((sum, { days }) => sum + (days[index]?.count ?? 0), 0),
  }));

/** Nothing without any event. */
export const EventNames = () => {
  const { data, problem } = useData(platform.customEvents.names({ days: countedDays }));
  const names = data?.data ?? [];
  const chosen = names.filter(({ name }) => name === parameter("name"));
  return (
    <>
      <LoadProblem problem={problem} />
      {names.length > 0 && (
        <CardSection title="Names">
          <DayChart
            label={chosen[0] === undefined ? "All events" : chosen[0].name}
            days={sumOf(chosen.length > 0 ? chosen : names)}
          />
          <DataTable label="Names" columns={columns} rows={names} rowKey={({ name }) => name} />
        </CardSection>
      )}
    </>
  );
};
