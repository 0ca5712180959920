/** "Segments": groups of devices by their attributes. */
import { useLast } from "../data/LastData.ts";
import { listPath } from "../data/ListPath.ts";
import { usePlatform } from "../data/Query.ts";
import type { Page, Segment } from "../data/Resources.ts";
import { ButtonLink } from "../parts/Button.tsx";
import { DataTable, type Column } from "../parts/DataTable.tsx";
import { formatNumber } from "../parts/DisplayFormats.ts";
import { EmptyState } from "../parts/EmptyState.tsx";
import { InstantText } from "../parts/InstantText.tsx";
import { LoadProblem, Loading, PageFrame } from "../parts/PageFrame.tsx";
import { Pager } from "../parts/Pager.tsx";
import { addressOf, parameter } from "../routing/Router.ts";
import { may } from "../session/SessionState.ts";
import { ruleText } from "./RuleModel.ts";

const columns: ReadonlyArray<Column<Segment>> = [
  {
    key: "name",
    heading: "Name",
    cell: ({ id, name }) => (
      <a class="row-link" href={addressOf(`/segments/${id}`)}>
        {name}
      </a>
    ),
  },
  { key: "rule", heading: "Rule", cell: ({ rule }) => ruleText(rule) },
  {
    key: "devices",
    heading: "Devices",
    isFigure: true,
    cell: ({ device_count: count }) => formatNumber(count),
  },
  { key: "updated", heading: "Changed", cell: ({ updated_at: at }) => <InstantText at={at} /> },
];

const NewSegment = () =>
  may("segments:write") ? (
    <ButtonLink variant="primary" href={addressOf("/segments/new")}>
      New segment
    </ButtonLink>
  ) : null;

/** The segments of the environment. */
export const SegmentListPage = () => {
  const { data, problem } = usePlatform<Page<Segment>>(listPath("/segments", []));
  const list = useLast(data);
  const isEmpty = list?.data.length === 0 && parameter("cursor") === "";
  return (
    <PageFrame title="Segments" actions={!isEmpty && <NewSegment />}>
      <LoadProblem problem={problem} />
      {list === undefined && problem === undefined && <Loading />}
      {isEmpty && (
        <EmptyState title="No segments yet" action={<NewSegment />}>
          A segment is a rule on the attributes that your app sends, such as a plan or a language. A push
          campaign can be limited to segments.
        </EmptyState>
      )}
      {list !== undefined && !isEmpty && (
        <>
          <DataTable label="Segments" columns={columns} rows={list.data} rowKey={({ id }) => id} />
          <Pager nextCursor={list.meta.next_cursor} />
        </>
      )}
    </PageFrame>
  );
};
