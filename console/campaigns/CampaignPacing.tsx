/** The fields that say how often, at which hours and how fast devices get messages of a campaign. */
import type { Fact } from "../parts/FactList.tsx";
import { FieldGroup, SelectField, TextField } from "../parts/form/Fields.tsx";
import { Folded } from "../parts/form/Folded.tsx";
import type { FormModel } from "../parts/form/Form.tsx";
import { quietText, sentQuietHours } from "../parts/form/QuietHoursForm.ts";
import { QuietHoursFields } from "../parts/form/QuietHoursFields.tsx";
import { workspace } from "../session/Scope.ts";
import type { CampaignValues } from "./CampaignForm.ts";

interface PacingProps {
  readonly form: FormModel<CampaignValues>;
}

const periods = [
  { value: "", text: "No cap of its own" },
  { value: "day", text: "Day" },
  { value: "week", text: "Week" },
  { value: "month", text: "Month" },
];
const receivers = [
  { value: "device", text: "Each device for itself" },
  { value: "user", text: "Each person, all devices together" },
] as const;

const FrequencyCap = ({ form }: PacingProps) => {
  const { cap_by: capBy } = form.values.value;
  return (
    <FieldGroup
      label="Frequency cap"
      hint="The most messages of this campaign to one device or person. Without one the cap of the
        workspace holds."
    >
      <TextField {...form.field("frequency_cap_count")} label="Times" inputMode="numeric" />
      <SelectField {...form.field("frequency_cap_period")} label="Per" choices={periods} />
      <SelectField
        {...form.field("cap_by")}
        label="Counted for"
        hint={
          capBy === "user"
            ? "A person gets a message on the device that was seen last. The cooldown is shared too."
            : undefined
        }
        choices={receivers}
      />
    </FieldGroup>
  );
};

/** The choice of the workspace's quiet hours, which only the operator knows. */
const inherited = (): string => {
  const known = workspace.value;
  if (known?.quiet_hours === undefined) return "Those of the workspace";
  const { quiet_hours: quiet } = known;
  return quiet === null
    ? "Those of the workspace, which has none"
    : `Those of the workspace, ${quiet.from} to ${quiet.to}`;
};

const QuietHours = ({ form }: PacingProps) => (
  <QuietHoursFields
    hint="Hours of the day in which devices get no message, in the time zone of each device."
    others={[
      { value: "", text: inherited() },
      { value: "none", text: "No quiet hours" },
    ]}
    values={form.values.value}
    onValues={(values) => form.set(values)}
  />
);

const Cooldown = ({ form }: PacingProps) => (
  <FieldGroup
    label="Cooldown"
    hint="After a message at a location the same device gets no other of this campaign there for so long."
  >
    <TextField {...form.field("cooldown_minutes")} label="Minutes" placeholder="None" inputMode="numeric" />
  </FieldGroup>
);

const Pace = ({ form }: PacingProps) => (
  <FieldGroup
    label="Pace"
    hint="The most messages of this campaign in any minute; the rest waits. The workspace may have a limit
      for all campaigns together."
  >
    <TextField
      {...form.field("max_per_minute")}
      label="Messages a minute"
      placeholder="No limit"
      inputMode="numeric"
    />
  </FieldGroup>
);

/** The limits that a campaign has itself, in a few words. */
const limitsOf = (values: CampaignValues): string => {
  const { frequency_cap_count: times, frequency_cap_period: period, quiet_action: quiet, type } = values;
  const [cooldown, pace] = [values.cooldown_minutes.trim(), values.max_per_minute.trim()];
  const limits = [
    times.trim() !== "" && `${times.trim()} per ${period}`,
    quiet === "none" && "no quiet hours",
    values.quiet_from.trim() !== "" && `quiet from ${values.quiet_from} to ${values.quiet_to}`,
    type === "geo" && cooldown !== "" && `${cooldown} minutes of cooldown`,
    type === "push" && pace !== "" && `${pace} a minute`,
  ].filter((limit) => limit !== false);
  return limits.length === 0 ? "none" : limits.join(", ");
};

const limitNames = /^(?:frequency_cap|cap_by|quiet_hours|cooldown_minutes|max_per_minute)/;

/** "Frequency cap", "Quiet hours", and "Cooldown" or "Pace": folded, with those that are set in its name. */
export const Limits = ({ form }: PacingProps) => {
  const values = form.values.value;
  return (
    <Folded form={form} names={limitNames} summary={`Limits: ${limitsOf(values)}`}>
      <FrequencyCap form={form} />
      <QuietHours form={form} />
      {values.type === "geo" ? <Cooldown form={form} /> : <Pace form={form} />}
    </Folded>
  );
};

const ofWorkspace = "That of the workspace";
const none = "None, neither here nor in the workspace.";

const capText = (values: CampaignValues): string => {
  const { cap_by: capBy, frequency_cap_count: times, frequency_cap_period: period } = values;
  const receiver = capBy === "user" ? "person" : "device";
  if (times !== "") return `At most ${times} per ${period} for each ${receiver}.`;
  const cap = workspace.value?.default_frequency_cap;
  if (cap === undefined) return `${ofWorkspace}.`;
  return cap === null ? none : `${ofWorkspace}: at most ${cap.count} per ${cap.period} for each ${receiver}.`;
};

const quietHoursText = (values: CampaignValues): string => {
  const own = quietText(sentQuietHours(values));
  const known = workspace.value?.quiet_hours;
  if (own !== null) return own;
  if (known === undefined) return "Those of the workspace.";
  return known === null ? none : `Those of the workspace. ${quietText(known) ?? ""}`;
};

/** The limits that hold for a campaign, its own or those of the workspace. */
export const limitFacts = (values: CampaignValues): ReadonlyArray<Fact> => {
  const [pace, cooldown] = [values.max_per_minute.trim(), values.cooldown_minutes.trim()];
  const facts: ReadonlyArray<Fact | false> = [
    ["Frequency cap", capText(values)],
    ["Quiet hours", quietHoursText(values)],
    values.type === "push" && pace !== "" && ["Pace", `${pace} messages a minute at most.`],
    values.type === "geo" && cooldown !== "" && ["Cooldown", `${cooldown} minutes at each location.`],
  ];
  return facts.filter((fact) => fact !== false);
};
