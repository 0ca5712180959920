/** The plan: its limits with what is used of them, and the form that changes them. */
import { useState } from "preact/hooks";
import { operator } from "../data/Api.ts";
import { send } from "../data/ApiCall.ts";
import { isNearlyReached, limitsOf, type PlanLimit, usePlanUsage } from "../data/PlanLimits.ts";
import { refresh } from "../data/Query.ts";
import type { Workspace } from "../data/Resources.ts";
import { Badge } from "../parts/Badge.tsx";
import { Button } from "../parts/Button.tsx";
import { CardSection } from "../parts/CardSection.tsx";
import { figureColumn, textColumn } from "../parts/Columns.tsx";
import { type Column, DataTable } from "../parts/DataTable.tsx";
import { changedOf } from "../parts/form/ChangedBody.ts";
import { DraftNotice } from "../parts/form/DraftNotice.tsx";
import { CheckField, FieldGroup, TextField } from "../parts/form/Fields.tsx";
import { FormDialog } from "../parts/form/FormDialog.tsx";
import { useForm } from "../parts/form/Form.tsx";
import { numberOrText } from "../parts/form/TypedNumber.ts";
import { LoadProblem } from "../parts/PageFrame.tsx";
import { showToast } from "../parts/Toasts.tsx";

type Plan = Workspace["plan"];

const columns: ReadonlyArray<Column<PlanLimit>> = [
  textColumn("name", "Limit", ({ name }) => name),
  figureColumn("used", "Used", ({ used = null }) => used, ""),
  figureColumn("max", "Maximum", ({ max }) => max, "no limit"),
  {
    key: "state",
    heading: "State",
    cell: (limit) => {
      if (!isNearlyReached(limit)) return null;
      return (limit.used ?? 0) >= (limit.max ?? Infinity) ? (
        <Badge text="Reached" tone="bad" />
      ) : (
        <Badge text="Nearly reached" tone="waiting" />
      );
    },
  },
];

const numbers = [
  ["max_campaigns", "Campaigns"],
  ["max_notifications", "Notifications"],
  ["max_notifications_per_campaign", "Notifications of one campaign"],
  ["max_locations", "Locations"],
  ["max_media_bytes", "Bytes of media"],
  ["sandbox_requests_per_minute", "Sandbox: requests a minute"],
  ["sandbox_writes_per_minute", "Sandbox: changing requests a minute"],
  ["sandbox_requests_per_day", "Sandbox: requests a day"],
  ["production_requests_per_minute", "Production: requests a minute"],
  ["production_writes_per_minute", "Production: changing requests a minute"],
  ["production_requests_per_day", "Production: requests a day"],
  ["device_requests_per_minute", "Each device: requests a minute"],
  ["device_events_per_minute", "Each device: events and positions a minute"],
] as const;

const mediaKinds = [
  ["image", "Images"],
  ["video", "Videos"],
  ["audio", "Audio"],
] as const;

interface PlanValues {
  readonly limits: Readonly<Record<string, string>>;
  readonly surveys: boolean;
  readonly media_kinds: Plan["media_kinds"];
}

const valuesOf = (plan: Plan): PlanValues => ({
  limits: Object.fromEntries(numbers.map(([key]) => [key, plan[key] === null ? "" : String(plan[key])])),
  surveys: plan.surveys,
  media_kinds: plan.media_kinds,
});

const planOf = ({ limits, media_kinds, surveys }: PlanValues) => {
  const typed = numbers.map(([key]) => {
    const text = limits[key] ?? "";
    return [key, text.trim() === "" ? null : numberOrText(text)] as const;
  });
  return { ...Object.fromEntries(typed), surveys, media_kinds };
};

const PlanDialog = ({
  onClose,
  workspace: { id, plan },
}: {
  readonly workspace: Workspace;
  readonly onClose: () => void;
}) => {
  const form = useForm({
    draft: "plan",
    initial: valuesOf(plan),
    send: async (values) => {
      const changes = changedOf(planOf(form.base.value), planOf(values));
      await send(operator.workspaces.update(id, { plan: changes }));
      await refresh();
      showToast("The plan is saved.");
      onClose();
    },
  });
  const { limits, media_kinds: kinds, surveys } = form.values.value;
  return (
    <FormDialog title="Change plan" action="Save plan" form={form} onClose={onClose}>
      <DraftNotice isChanged={form.isChanged.value} onDiscard={() => form.reset(valuesOf(plan))} />
      <p class="hint">An empty field is no limit.</p>
      {numbers.map(([key, label]) => (
        <TextField
          key={key}
          name={`plan.${key}`}
          label={label}
          inputMode="numeric"
          value={limits[key] ?? ""}
          onValue={(value) => form.set({ limits: { ...limits, [key]: value } })}
        />
      ))}
      <CheckField
        label="Surveys"
        isChecked={surveys}
        onValue={(isChecked) => form.set({ surveys: isChecked })}
      />
      <FieldGroup label="Media">
        {mediaKinds.map(([kind, label]) => (
          <CheckField
            key={kind}
            label={label}
            isChecked={kinds.includes(kind)}
            onValue={(isChecked) => {
              const others = kinds.filter((each) => each !== kind);
              form.set({ media_kinds: isChecked ? [...others, kind] : others });
            }}
          />
        ))}
      </FieldGroup>
    </FormDialog>
  );
};

/** The plan of the workspace, and what this environment uses of it. */
export const PlanSettings = ({ workspace }: { readonly workspace: Workspace }) => {
  const { plan } = workspace;
  const usage = usePlanUsage();
  const [isChanging, setChanging] = useState(false);
  return (
    <CardSection
      title="Plan"
      id="plan"
      actions={<Button onPress={() => setChanging(true)}>Change plan</Button>}
    >
      <p class="quiet">
        Surveys: {plan.surveys ? "yes" : "no"} · Media: {plan.media_kinds.join(", ") || "none"} · Limits of
        this environment:
      </p>
      <LoadProblem problem={usage.problem} />
      <DataTable
        label="Limits"
        columns={columns}
        rows={limitsOf(plan, usage.data?.data)}
        rowKey={({ key }) => key}
      />
      {isChanging && <PlanDialog workspace={workspace} onClose={() => setChanging(false)} />}
    </CardSection>
  );
};
