/** "Activity": who changed what, through any interface. */
import { useLast } from "../data/LastData.ts";
import { listPath } from "../data/ListPath.ts";
import { usePlatform } from "../data/Query.ts";
import type { ActivityEntry, Page } from "../data/Resources.ts";
import { DataTable, type Column } from "../parts/DataTable.tsx";
import { EmptyState } from "../parts/EmptyState.tsx";
import { ChoiceFilter } from "../parts/Filters.tsx";
import type { Choice } from "../parts/form/Fields.tsx";
import { InstantText } from "../parts/InstantText.tsx";
import { LoadProblem, Loading, PageFrame } from "../parts/PageFrame.tsx";
import { Pager } from "../parts/Pager.tsx";
import { changedAddress, parameter, setParameters } from "../routing/Router.ts";
import { ChangeList } from "./ChangeList.tsx";
import { actionTexts, actorTypes, resourceTexts } from "./ActivityWords.ts";

const filters = ["actor", "resource", "action"] as const;

const choicesOf = (all: string, texts: Readonly<Record<string, string>>, current: string): Array<Choice> => {
  const choices = Object.entries(texts).map(([value, text]) => ({ value, text }));
  // The address may name one actor or resource by its id.
  if (current !== "" && texts[current] === undefined)
    choices.unshift({ value: current, text: "Only this one" });
  return [{ value: "", text: all }, ...choices];
};

/** A link that shows only entries of the same actor or resource. */
const Same = ({
  id,
  name,
  parameterName,
}: {
  readonly name: string;
  readonly id: string | null;
  readonly parameterName: "actor" | "resource";
}) =>
  id === null ? <>{name}</> : <a href={changedAddress({ [parameterName]: id, cursor: undefined })}>{name}</a>;

const columns: ReadonlyArray<Column<ActivityEntry>> = [
  { key: "at", heading: "When", cell: ({ at }) => <InstantText at={at} /> },
  {
    key: "actor",
    heading: "Who",
    cell: ({ actor }) => (
      <>
        <Same id={actor.id} name={actor.name} parameterName="actor" />
        <span class="second-line">{actorTypes[actor.type]}</span>
      </>
    ),
  },
  {
    key: "resource",
    heading: "What",
    cell: ({ action, resource }) => (
      <>
        <Same
          id={resource.id}
          name={resource.name ?? resourceTexts[resource.type]}
          parameterName="resource"
        />
        <span class="second-line">
          {resourceTexts[resource.type]} {actionTexts[action].toLowerCase()}
        </span>
      </>
    ),
  },
  { key: "changes", heading: "Changes", cell: ({ changes }) => <ChangeList changes={changes} /> },
];

/** The changes of the environment. */
export const ActivityPage = () => {
  const { data, problem } = usePlatform<Page<ActivityEntry>>(listPath("/activity", filters));
  const list = useLast(data);
  const isFiltered = filters.some((name) => parameter(name) !== "");
  const isEmpty = list?.data.length === 0 && !isFiltered && parameter("cursor") === "";
  const filter = (
    name: (typeof filters)[number],
    label: string,
    all: string,
    texts: Record<string, string>,
  ) => (
    <ChoiceFilter
      label={label}
      value={parameter(name)}
      choices={choicesOf(all, texts, parameter(name))}
      onValue={(value) => setParameters({ [name]: value, cursor: undefined })}
    />
  );
  return (
    <PageFrame title="Activity" lead="Every change of the last 400 days, by anyone, through any interface.">
      {!isEmpty && (
        <div class="filters" role="search">
          {filter("actor", "Actor", "All actors", actorTypes)}
          {filter("resource", "Resource", "All resources", resourceTexts)}
          {filter("action", "Action", "All actions", actionTexts)}
          {isFiltered && (
            <a
              class="button button-secondary"
              href={changedAddress({
                actor: undefined,
                resource: undefined,
                action: undefined,
                cursor: undefined,
              })}
            >
              Show all
            </a>
          )}
        </div>
      )}
      <LoadProblem problem={problem} />
      {list === undefined && problem === undefined && <Loading />}
      {isEmpty && (
        <EmptyState title="No changes yet">
          What people and programs change here is listed with who did it. Create a campaign or import
          locations, and the first entry appears.
        </EmptyState>
      )}
      {list !== undefined && !isEmpty && (
        <>
          <DataTable
            label="Activity"
            columns={columns}
            rows={list.data}
            rowKey={({ id }) => id}
            empty="No change matches these filters."
          />
          <Pager nextCursor={list.meta.next_cursor} />
        </>
      )}
    </PageFrame>
  );
};
