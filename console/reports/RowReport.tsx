/** A report with a row an item: its chart, and the table below it. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { ApiProblem } from "../data/ApiCall.ts";
import { useLast } from "../data/LastData.ts";
import { BarChart } from "../parts/chart/BarChart.tsx";
import { figureColumn, linkColumn } from "../parts/Columns.tsx";
import { type Column, DataTable } from "../parts/DataTable.tsx";
import { ChoiceFilter } from "../parts/Filters.tsx";
import { Loading } from "../parts/PageFrame.tsx";
import { changedAddress, navigate, parameter } from "../routing/Router.ts";
import type { ChosenRange } from "./ChosenRange.ts";
import { setFilter, useCompared } from "./ReportFilters.ts";
import type { ReportKind, RowFigure } from "./ReportKinds.tsx";

/** A report's state for the page around it. */
export interface ReportNews {
  readonly problem: ApiProblem | undefined;
  /** The name of the notification that was chosen, once it is known. */
  readonly notificationName: string | undefined;
}

/** Properties of every report. */
export interface ReportProps {
  readonly range: ChosenRange;
  readonly onNews: (news: ReportNews) => void;
}

/** The columns of a report's table. The figure of the chart is compared with the period before. */
const columnsOf = <Row extends { readonly id: string }>(
  kind: ReportKind<Row>,
  chosen: RowFigure<Row>,
  before: ReadonlyMap<string, Row> | null,
): ReadonlyArray<Column<Row>> => {
  const beforeOf = (row: Row): number | null => {
    const old = before?.get(row.id);
    return old === undefined ? null : chosen.value(old);
  };
  return [
    linkColumn("Name", kind.name, (row) => changedAddress(kind.filter(row))),
    ...kind.columns,
    ...kind.figures.map(({ key, label, value }) => figureColumn(key, label, value)),
    ...(before === null ? [] : [figureColumn("before", `${chosen.label}, period before`, beforeOf)]),
  ];
};

/** The rows of a report, and its chart. */
export const RowReport = <Row extends { readonly id: string }>({
  kind,
  onNews,
  range,
}: ReportProps & { readonly kind: ReportKind<Row> }) => {
  const {
    now: { data, problem },
    before: dataBefore,
  } = useCompared(kind.report, range);
  const report = useLast(data);
  const [chosenKey, choose] = useState(kind.figures[0]?.key ?? "");
  const chosen = kind.figures.find(({ key }) => key === chosenKey);
  const notification = parameter("notification");
  const rows = useMemo(() => {
    const all = report?.data ?? [];
    return notification === "" ? all : all.filter((row) => kind.isNotification(row, notification));
  }, [report, notification]);
  const before = useMemo(
    () => (dataBefore === undefined ? null : new Map(dataBefore.data.map((row) => [row.id, row]))),
    [dataBefore],
  );
  const address = changedAddress({});
  const columns = useMemo(
    () => (chosen === undefined ? [] : columnsOf(kind, chosen, before)),
    [chosen, before, address],
  );
  const first = rows[0];
  const notificationName = notification === "" || first === undefined ? undefined : kind.name(first);
  useEffect(() => onNews({ problem, notificationName }), [problem, notificationName]);
  if (report === undefined || chosen === undefined) return problem === undefined ? <Loading /> : null;
  const bars = rows.map((row) => {
    const old = before?.get(row.id);
    return {
      key: row.id,
      name: kind.name(row),
      value: chosen.value(row) ?? 0,
      before: before === null ? undefined : old === undefined ? 0 : (chosen.value(old) ?? 0),
    };
  });
  return (
    <>
      {rows.length > 0 && (
        <div class="card stack">
          <ChoiceFilter
            label="Figure of the chart"
            value={chosenKey}
            choices={kind.figures.map(({ key, label }) => ({ value: key, text: label }))}
            onValue={choose}
          />
          <BarChart label={chosen.label} bars={bars} hasTableBelow />
        </div>
      )}
      <DataTable
        label={kind.label}
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        searchText={kind.name}
        search={{ value: parameter("q"), onSearch: (text) => setFilter("q", text) }}
        onRow={(row) => navigate(changedAddress(kind.filter(row)))}
        empty={kind.empty}
      />
    </>
  );
};
