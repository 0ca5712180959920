/** "Segments": groups of devices by their attributes. */
import { platform } from "../data/Api.ts";
import type { Segment } from "../data/Resources.ts";
import { ButtonLink } from "../parts/Button.tsx";
import type { Column } from "../parts/DataTable.tsx";
import { formatNumber } from "../parts/DisplayFormats.ts";
import { InstantText } from "../parts/InstantText.tsx";
import { TablePage } from "../parts/list/ListPage.tsx";
import { addressOf } from "../routing/Router.ts";
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
export const SegmentListPage = () => (
  <TablePage
    title="Segments"
    list={platform.segments.list}
    columns={columns}
    action={<NewSegment />}
    empty={[
      "No segments yet",
      "A segment is a rule on the attributes that your app sends, such as a plan or a language. A push " +
        "campaign can be limited to segments.",
    ]}
  />
);
