/** "Segments": groups of devices by their attributes. */
import { platform } from "../data/Api.ts";
import type { Segment } from "../data/Resources.ts";
import { ButtonLink } from "../parts/Button.tsx";
import { figureColumn, linkColumn, textColumn, timeColumn } from "../parts/Columns.tsx";
import type { Column } from "../parts/DataTable.tsx";
import { TablePage, wholeList } from "../parts/list/ListPage.tsx";
import { addressOf } from "../routing/Router.ts";
import { may } from "../session/SessionState.ts";
import { ruleText } from "./RuleModel.ts";

const columns: ReadonlyArray<Column<Segment>> = [
  linkColumn(
    "Name",
    ({ name }) => name,
    ({ id }) => addressOf(`/segments/${id}`),
  ),
  textColumn("rule", "Rule", ({ rule }) => ruleText(rule)),
  figureColumn("devices", "Devices", (segment) => segment.device_count),
  timeColumn("updated", "Changed", (segment) => segment.updated_at),
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
    options={wholeList}
    columns={columns}
    action={<NewSegment />}
    empty={[
      "No segments yet",
      "A segment is a rule on the attributes that your app sends, such as a plan or a language. A push " +
        "campaign can be limited to segments.",
    ]}
  />
);
