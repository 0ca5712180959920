/** The workspace: its name, zone, default cap, quiet hours and pace, and its plan with what is used of it. */
import { here, operator } from "../data/Api.ts";
import { send } from "../data/ApiCall.ts";
import { refresh, useData } from "../data/Query.ts";
import type { QuietHours, Workspace } from "../data/Resources.ts";
import { Button } from "../parts/Button.tsx";
import { CardSection } from "../parts/CardSection.tsx";
import { CheckField, FieldGroup, SelectField, TextField } from "../parts/form/Fields.tsx";
import { Form, useForm } from "../parts/form/Form.tsx";
import { changedOf } from "../parts/form/ChangedBody.ts";
import { quietValuesOf, sentQuietHours } from "../parts/form/QuietHoursForm.ts";
import { QuietHoursFields } from "../parts/form/QuietHoursFields.tsx";
import { numberOrText } from "../parts/form/TypedNumber.ts";
import { ZoneField } from "../parts/form/ZoneField.tsx";
import { LoadProblem, Loading } from "../parts/PageFrame.tsx";
import { showToast } from "../parts/Toasts.tsx";
import { loadWorkspaces } from "../session/SignIn.ts";
import { PlanSettings } from "./PlanSettings.tsx";

const periods = [
  { value: "day", text: "Day" },
  { value: "week", text: "Week" },
  { value: "month", text: "Month" },
];

const valuesOf = ({ default_frequency_cap: cap, max_per_minute: pace, ...shown }: Workspace) => ({
  name: shown.name,
  timezone: shown.timezone,
  times: cap === null ? "" : String(cap.count),
  per: cap?.period ?? "day",
  pace: pace?.toString() ?? "",
  isEnabled: shown.platform_api_enabled,
  ...quietValuesOf(shown.quiet_hours),
});

const bodyOf = ({ isEnabled, name, pace, per, times, timezone, ...quiet }: ReturnType<typeof valuesOf>) => ({
  name,
  timezone,
  platform_api_enabled: isEnabled,
  default_frequency_cap: times.trim() === "" ? null : { count: numberOrText(times), period: per },
  max_per_minute: pace.trim() === "" ? null : (numberOrText(pace) as number),
  // A workspace has no choice "none".
  quiet_hours: sentQuietHours(quiet) as QuietHours | null,
});

const WorkspaceForm = ({ shown }: { readonly shown: Workspace }) => {
  const form = useForm({
    draft: "workspace",
    initial: valuesOf(shown),
    send: async (values) => {
      const changes = changedOf(bodyOf(form.base.value), bodyOf(values));
      await send(operator.workspaces.update(shown.id, changes));
      await Promise.all([loadWorkspaces(), refresh()]);
      showToast("Saved.");
    },
  });
  const { isEnabled } = form.values.value;
  return (
    <Form model={form} label="Workspace">
      <TextField {...form.field("name")} label="Name" />
      <ZoneField
        {...form.field("timezone")}
        label="Time zone"
        hint="Reports count days in it, and new campaigns start with it."
      />
      <FieldGroup
        label="Default frequency cap"
        hint="The most messages of a campaign to one device. Without a number there is no cap."
      >
        <TextField
          {...form.field("times", "default_frequency_cap.count")}
          label="Times"
          inputMode="numeric"
        />
        <SelectField {...form.field("per", "default_frequency_cap.period")} label="Per" choices={periods} />
      </FieldGroup>
      <QuietHoursFields
        hint="The default of campaigns: hours of the day in which devices get no message, in the time zone of
          each device."
        others={[{ value: "", text: "None" }]}
        values={form.values.value}
        onValues={(values) => form.set(values)}
      />
      <FieldGroup
        label="Pace"
        hint="The most messages of each environment in any minute, of all campaigns together. Sends wait;
          other messages count and go at once."
      >
        <TextField
          {...form.field("pace", "max_per_minute")}
          label="Messages a minute"
          placeholder="No limit"
          inputMode="numeric"
        />
      </FieldGroup>
      <CheckField
        label="Full platform API in Production"
        isChecked={isEnabled}
        onValue={(value) => form.set({ isEnabled: value })}
      />
      <Button type="submit" variant="primary" isBusy={form.isSending.value}>
        Save
      </Button>
    </Form>
  );
};

/** The workspace and its plan. */
export const WorkspaceSettings = () => {
  const { data, problem } = useData(operator.workspaces.get(here()[0]));
  if (data === undefined) return problem === undefined ? <Loading /> : <LoadProblem problem={problem} />;
  return (
    <>
      <CardSection title="Workspace" id="workspace">
        <WorkspaceForm shown={data.data} />
      </CardSection>
      <PlanSettings workspace={data.data} />
    </>
  );
};
