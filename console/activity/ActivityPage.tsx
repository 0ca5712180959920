/** "Activity": who changed what, through any interface. */
import { platform } from "../data/Api.ts";
import type { ActivityEntry } from "../data/Resources.ts";
import type { Column } from "../parts/DataTable.tsx";
import { InstantText } from "../parts/InstantText.tsx";
import { isNarrowed, type ListFilter, TablePage } from "../parts/list/ListPage.tsx";
import { changedAddress, parameter } from "../routing/Router.ts";
import { ChangeList } from "./ChangeList.tsx";
import { actionTexts, actorTypes, resourceTexts } from "./ActivityWords.ts";

const filterOf = <Name extends string>(
  name: Name,
  label: string,
  all: string,
  texts: Readonly<Record<string, string>>,
): ListFilter<Name> => {
  const current = parameter(name);
  const choices = Object.entries(texts).map(([value, text]) => ({ value, text }));
  // The address may name one actor or resource by its id.
  if (current !== "" && texts[current] === undefined)
    choices.unshift({ value: current, text: "Only this one" });
  return { name, label, choices: [{ value: "", text: all }, ...choices] };
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
  id === null ? (
    <bdi>{name}</bdi>
  ) : (
    <a href={changedAddress({ [parameterName]: id, cursor: undefined })} dir="auto">
      {name}
    </a>
  );

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

const ShowAll = () =>
  isNarrowed(["actor", "resource", "action"]) ? (
    <a
      class="button button-secondary"
      href={changedAddress({ actor: undefined, resource: undefined, action: undefined, cursor: undefined })}
    >
      Show all
    </a>
  ) : null;

/** The changes of the environment. */
export const ActivityPage = () => (
  <TablePage
    title="Activity"
    lead="Every change of the last 400 days, by anyone, through any interface."
    list={platform.activity.list}
    filters={[
      filterOf("actor", "Actor", "All actors", actorTypes),
      filterOf("resource", "Resource", "All resources", resourceTexts),
      filterOf("action", "Action", "All actions", actionTexts),
    ]}
    besideFilters={<ShowAll />}
    columns={columns}
    noMatch="No change matches these filters."
    empty={[
      "No changes yet",
      "What people and programs change here is listed with who did it. Create a campaign or import " +
        "locations, and the first entry appears.",
    ]}
  />
);
