/** The workspace: its name, zone and default cap, and its plan with what is used of it. */
import { operator } from "../data/ApiCall.ts";
import { refresh, useOperator, usePlatform } from "../data/Query.ts";
import type { One, Page, Workspace } from "../data/Resources.ts";
import { Badge } from "../parts/Badge.tsx";
import { Button } from "../parts/Button.tsx";
import { CardSection } from "../parts/CardSection.tsx";
import { type Column, DataTable } from "../parts/DataTable.tsx";
import { formatNumber } from "../parts/DisplayFormats.ts";
import { CheckField, FieldGroup, SelectField, TextField } from "../parts/form/Fields.tsx";
import { Form, useForm } from "../parts/form/Form.tsx";
import { ZoneField } from "../parts/form/ZoneField.tsx";
import { LoadProblem, Loading } from "../parts/PageFrame.tsx";
import { showToast } from "../parts/Toasts.tsx";
import { environment, workspaceId } from "../session/Scope.ts";
import { loadWorkspaces } from "../session/SignIn.ts";

const periods = [
  { value: "day", text: "Day" },
  { value: "week", text: "Week" },
  { value: "month", text: "Month" },
];

/** The text of a field as the API takes it: what is no number is sent as it was typed. */
const numberOrText = (text: string): number | string => (/^\d+$/.test(text.trim()) ? Number(text) : text);

const WorkspaceForm = ({ shown }: { readonly shown: Workspace }) => {
  const cap = shown.default_frequency_cap;
  const form = useForm({
    draft: "workspace",
    initial: {
      name: shown.name,
      timezone: shown.timezone,
      times: cap === null ? "" : String(cap.count),
      per: cap?.period ?? "day",
      isEnabled: shown.platform_api_enabled,
    },
    send: async ({ isEnabled, name, per, times, timezone }) => {
      const count = numberOrText(times);
      await operator(`/workspaces/${shown.id}`, {
        method: "PATCH",
        json: {
          name,
          timezone,
          platform_api_enabled: isEnabled,
          default_frequency_cap: times.trim() === "" ? null : { count, period: per },
        },
      });
      await Promise.all([loadWorkspaces(), refresh()]);
      showToast("Saved.");
    },
  });
  const { isEnabled, name, per, times, timezone } = form.values.value;
  return (
    <Form model={form} label="Workspace">
      <TextField name="name" label="Name" value={name} onValue={(value) => form.set({ name: value })} />
      <ZoneField
        name="timezone"
        label="Time zone"
        hint="Reports count days in it, and new campaigns start with it."
        value={timezone}
        onValue={(value) => form.set({ timezone: value })}
      />
      <FieldGroup
        label="Default frequency cap"
        hint="The most messages of a campaign to one device. Without a number there is no cap."
      >
        <TextField
          name="default_frequency_cap.count"
          label="Times"
          inputMode="numeric"
          value={times}
          onValue={(value) => form.set({ times: value })}
        />
        <SelectField
          name="default_frequency_cap.period"
          label="Per"
          value={per}
          choices={periods}
          onValue={(value) => form.set({ per: value as typeof per })}
        />
      </FieldGroup>
      <CheckField
        label="Full platform API in Production"
        isChecked={isEnabled}
        onValue={(value) => form.set({ isEnabled: value })}
      />
      <Button type="submit" look="primary" isBusy={form.isSending.value}>
        Save
      </Button>
    </Form>
  );
};

interface Limit {
  readonly key: string;
  readonly name: string;
  readonly max: number | null;
  /** Undefined if no interface counts it. */
  readonly used: number | undefined;
}

const nearlyReached = 0.9;

const limitColumns: ReadonlyArray<Column<Limit>> = [
  { key: "name", heading: "Limit", cell: ({ name }) => name },
  {
    key: "used",
    heading: "Used",
    isFigure: true,
    cell: ({ used }) => (used === undefined ? <span class="quiet">not counted</span> : formatNumber(used)),
  },
  {
    key: "max",
    heading: "Maximum",
    isFigure: true,
    cell: ({ max }) => (max === null ? <span class="quiet">no limit</span> : formatNumber(max)),
  },
  {
    key: "state",
    heading: "State",
    cell: ({ max, used }) => {
      if (max === null || used === undefined || used < max * nearlyReached) return null;
      return used >= max ? (
        <Badge text="Reached" tone="bad" />
      ) : (
        <Badge text="Nearly reached" tone="waiting" />
      );
    },
  },
];

/** The number of rows of a report, which has every item that is not deleted. */
const useCount = (report: string): number | undefined =>
  usePlatform<Pick<Page<{ readonly status: string }>, "data">>(`/reports/${report}`, {
    millis: 60_000,
  }).data?.data.filter(({ status }) => report !== "campaigns" || status !== "ended").length;

const PlanLimits = ({ plan }: Pick<Workspace, "plan">) => {
  const used = {
    campaigns: useCount("campaigns"),
    notifications: useCount("notifications"),
    locations: useCount("locations"),
  };
  const env = environment.value;
  const row = (key: string, name: string, max: number | null, count?: number): Limit => ({
    key,
    name,
    max,
    used: count,
  });
  const rows = [
    row("campaigns", "Campaigns that have not ended", plan.max_campaigns, used.campaigns),
    row("notifications", "Notifications", plan.max_notifications, used.notifications),
    row("each", "Notifications of one campaign", plan.max_notifications_per_campaign),
    row("locations", "Locations", plan.max_locations, used.locations),
    row("media", "Bytes of media", plan.max_media_bytes),
    row("minute", "Requests a minute", plan[`${env}_requests_per_minute`]),
    row("writes", "Changing requests a minute", plan[`${env}_writes_per_minute`]),
    row("day", "Requests a day", plan[`${env}_requests_per_day`]),
  ];
  return (
    <CardSection title="Plan">
      <p class="quiet">
        Surveys: {plan.surveys ? "yes" : "no"} · Media: {plan.media_kinds.join(", ") || "none"} · Limits of
        this environment:
      </p>
      <DataTable label="Limits" columns={limitColumns} rows={rows} rowKey={({ key }) => key} />
    </CardSection>
  );
};

/** The workspace and its plan. */
export const WorkspaceSettings = () => {
  const { data, problem } = useOperator<One<Workspace>>(`/workspaces/${workspaceId.value}`);
  if (data === undefined) return problem === undefined ? <Loading /> : <LoadProblem problem={problem} />;
  return (
    <>
      <CardSection title="Workspace">
        <WorkspaceForm shown={data.data} />
      </CardSection>
      <PlanLimits plan={data.data.plan} />
    </>
  );
};
