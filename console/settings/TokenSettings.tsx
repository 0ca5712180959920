/** Tokens of the platform API: the list, "Issue token" and "Revoke". */
import { here, operator } from "../data/Api.ts";
import { send } from "../data/ApiCall.ts";
import { refresh } from "../data/Query.ts";
import type { Ability, Environment, Token } from "../data/Resources.ts";
import { textColumn, timeColumn } from "../parts/Columns.tsx";
import type { Column } from "../parts/DataTable.tsx";
import { SelectField, TextField } from "../parts/form/Fields.tsx";
import { useForm } from "../parts/form/Form.tsx";
import { environment, environmentNames } from "../session/Scope.ts";
import { currentSession } from "../session/SessionState.ts";
import { AbilityFields } from "./AbilityFields.tsx";
import { FormDialog } from "../parts/form/FormDialog.tsx";
import { IssuedKeys, type IssueProps } from "./IssuedKeys.tsx";

const action = "Issue token";

interface TokenValues {
  readonly name: string;
  readonly environment: Environment;
  readonly abilities: ReadonlyArray<Ability>;
  readonly expires_at: string;
}

const IssueToken = ({ onClose, onIssued }: IssueProps) => {
  const form = useForm<TokenValues>({
    draft: "token",
    initial: { name: "", environment: environment.value, abilities: ["reports:read"], expires_at: "" },
    send: async ({ expires_at: day, ...values }) => {
      const draft = { ...values, ...(day === "" ? {} : { expires_at: `${day}T00:00:00+00:00` }) };
      const { data } = await send(operator.tokens.issue(here()[0], draft));
      onIssued({ name: data.name, secret: data.token });
      await refresh();
    },
  });
  const { abilities } = form.values.value;
  return (
    <FormDialog title={action} form={form} onClose={onClose}>
      <TextField {...form.field("name")} label="Name" hint="What it is for, or whom." />
      <SelectField
        {...form.field("environment")}
        label="Token environment"
        choices={Object.entries(environmentNames).map(([value, text]) => ({ value, text }))}
      />
      <AbilityFields
        // The operator has all abilities that there are.
        all={currentSession.value?.abilities ?? []}
        chosen={abilities}
        onChosen={(value) => form.set({ abilities: value })}
      />
      <TextField
        {...form.field("expires_at")}
        label="Expires on"
        hint="The start of this day in UTC. Empty: never."
        type="date"
      />
    </FormDialog>
  );
};

const columns: ReadonlyArray<Column<Token>> = [
  textColumn("environment", "Environment", (token) => environmentNames[token.environment]),
  {
    key: "abilities",
    heading: "Abilities",
    cell: ({ abilities }) => <p class="wide-cell">{abilities.join(", ")}</p>,
  },
  timeColumn("expires", "Expires", (token) => token.expires_at, "never"),
];

/** The tokens of a workspace, of both environments. */
export const TokenSettings = () => (
  <IssuedKeys<Token>
    title="Tokens"
    noun="Token"
    action={action}
    about="For systems that use the platform API, and for colleagues who sign in here."
    empty="No token yet. Issue one for each system and each person."
    list={operator.tokens.list(here()[0])}
    revoke={(id) => operator.tokens.revoke(here()[0], id)}
    columns={columns}
    effect="Requests with this token are refused at once, and sessions of the console end."
    issue={(props) => <IssueToken {...props} />}
  />
);
