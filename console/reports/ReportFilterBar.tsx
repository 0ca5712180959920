/** The filters of a report as comboboxes, with the API's sentences about their values. */
import { platform } from "../data/Api.ts";
import type { ApiProblem } from "../data/ApiCall.ts";
import { useData } from "../data/Query.ts";
import { Button } from "../parts/Button.tsx";
import { ChoiceFilter, FilterBar } from "../parts/Filters.tsx";
import type { Choice } from "../parts/form/Fields.tsx";
import { SearchChoiceFilter } from "../parts/form/SearchChoice.tsx";
import { parameter } from "../routing/Router.ts";
import { may } from "../session/SessionState.ts";
import type { ChosenRange } from "./ChosenRange.ts";
import { type ApiFilter, campaignStatuses, clearFilters, isFiltered, setFilter } from "./ReportFilters.ts";

/** Filters with as many choices as there are campaigns or locations. */
const searched = new Set<ApiFilter>(["campaign", "location", "location_group"]);
const once = { millis: Infinity };

interface Named {
  readonly id: string;
  readonly name: string;
}

const choicesOf = (items: ReadonlyArray<Named> | undefined): ReadonlyArray<Choice> =>
  (items ?? []).map(({ id, name }) => ({ value: id, text: name }));

const activations: ReadonlyArray<Choice> = [
  { value: "on_enter", text: "On enter" },
  { value: "on_exit", text: "On exit" },
  { value: "on_dwell", text: "On dwell" },
  { value: "fixed_time", text: "Fixed time" },
  { value: "on_event", text: "On event" },
];
const contentTypes: ReadonlyArray<Choice> = [
  { value: "message", text: "Messages" },
  { value: "survey", text: "Surveys" },
];

interface ReportFilterBarProps {
  readonly range: ChosenRange;
  readonly problem: ApiProblem | undefined;
  /** The statuses that a row of the report can have; none for a report without rows. */
  readonly statuses: ReadonlyArray<Choice>;
  /** The notification that was chosen in the table. */
  readonly notificationName: string | undefined;
}

/** All filters. */
export const ReportFilterBar = ({ notificationName, problem, range, statuses }: ReportFilterBarProps) => {
  const days = { start: range.start, end: range.end };
  // The reports name every campaign and location also for a session that may read reports alone.
  const campaigns = useData(range.days === null ? null : platform.reports.campaigns(days), once);
  const locations = useData(range.days === null ? null : platform.reports.locations(days), once);
  const groups = useData(may("locations:read") ? platform.locationGroups.list() : null, {
    ...once,
    isWhole: true,
  });
  const rows: ReadonlyArray<readonly [ApiFilter, string, string, ReadonlyArray<Choice>]> = [
    ["campaign", "Campaign", "All campaigns", choicesOf(campaigns.data?.data)],
    ["location", "Location", "All locations", choicesOf(locations.data?.data)],
    ["location_group", "Location group", "All location groups", choicesOf(groups.data?.data)],
    ["activation", "Activation", "All activations", activations],
    ["campaign_status", "Campaign status", "All campaign statuses", campaignStatuses],
    ["content_type", "Content type", "All content types", contentTypes],
    ...(statuses.length === 0 ? [] : ([["status", "Status", "All statuses", statuses]] as const)),
  ];
  const notification = parameter("notification");
  return (
    <FilterBar count={rows.filter(([name]) => parameter(name) !== "").length + +(notification !== "")}>
      {rows.map(([name, label, all, choices]) => {
        // Long lists are searched.
        const Filter = searched.has(name) ? SearchChoiceFilter : ChoiceFilter;
        return (
          <Filter
            key={name}
            label={label}
            value={parameter(name)}
            choices={[{ value: "", text: all }, ...choices]}
            problems={problem?.fields[name] ?? []}
            onValue={(value) => setFilter(name, value)}
          />
        );
      })}
      {notification !== "" && (
        <ChoiceFilter
          label="Notification"
          value={notification}
          choices={[
            { value: "", text: "All notifications" },
            { value: notification, text: notificationName ?? notification },
          ]}
          onValue={(value) => setFilter("notification", value)}
        />
      )}
      {isFiltered() && (
        <Button variant="plain" onPress={clearFilters}>
          Clear filters
        </Button>
      )}
    </FilterBar>
  );
};
