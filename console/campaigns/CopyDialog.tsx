/** "Copy to Production": the list of what a copy makes and uses there, and after it the way to the copy. */
import { useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { ApiProblem, send } from "../data/ApiCall.ts";
import type { Campaign, CopyCounts, Environment } from "../data/Resources.ts";
import { Button, ButtonLink } from "../parts/Button.tsx";
import { Dialog } from "../parts/Dialog.tsx";
import { formatCount } from "../parts/DisplayFormats.ts";
import { TextField } from "../parts/form/Fields.tsx";
import { Form, useForm } from "../parts/form/Form.tsx";
import { addressOf } from "../routing/Router.ts";
import { environment, environmentNames } from "../session/Scope.ts";

/** The environment to which a campaign of the page can be copied. */
const otherEnvironment = (): Environment => (environment.value === "sandbox" ? "production" : "sandbox");

/** The button and the title of a copy. */
export const copyAction = (): string => `Copy to ${environmentNames[otherEnvironment()]}`;

/** The counts of a copy before it is made, and a name that is not taken there. */
export interface CopyPlan {
  readonly name: string;
  readonly made: CopyCounts;
  readonly matched: CopyCounts;
}

const triedNames = 20;

/** Asks the server what a copy would make. @throws ApiProblem, with what the plan of the workspace refuses */
export const planCopy = async ({ id, name }: Campaign): Promise<CopyPlan> => {
  for (let number = 1; ; number++) {
    const tried = number === 1 ? name : `${Array.from(name).slice(0, 240).join("")} (${number})`;
    try {
      const body = { environment: otherEnvironment(), name: tried };
      const { made, matched } = await send(platform.copies.copy(id, body, { dryRun: true }));
      return { name: tried, made, matched };
    } catch (error) {
      const isTaken = error instanceof ApiProblem && Object.keys(error.fields).join() === "name";
      if (!isTaken || number === triedNames) throw error;
    }
  }
};

const nouns: ReadonlyArray<readonly [keyof CopyCounts, string]> = [
  ["notifications", "notification"],
  ["media", "media file"],
  ["locations", "location"],
  ["location_groups", "location group"],
  ["segments", "segment"],
];

const Counts = ({ counts, first = [] }: { readonly counts: CopyCounts; readonly first?: Array<string> }) => {
  const found = nouns.flatMap(([key, noun]) => (counts[key] > 0 ? formatCount(counts[key], noun) : []));
  return (
    <ul class="bullets">
      {[...first, ...found].map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
};

interface CopyDialogProps {
  readonly campaign: Campaign;
  readonly plan: CopyPlan;
  readonly onClose: () => void;
}

/** The dialog, of a copy that the plan of the workspace allows. */
export const CopyDialog = ({ campaign, onClose, plan: { made, matched, name } }: CopyDialogProps) => {
  const to = otherEnvironment();
  const there = environmentNames[to];
  const [copy, setCopy] = useState<Campaign | null>(null);
  const form = useForm({
    draft: null,
    initial: { name },
    send: async (values, idempotencyKey) => {
      const request = platform.copies.copy(campaign.id, { environment: to, ...values }, { idempotencyKey });
      setCopy((await send(request)).data);
    },
  });
  if (copy !== null)
    return (
      <Dialog
        title={`“${copy.name}” is in ${there}`}
        onClose={onClose}
        actions={
          <>
            <ButtonLink variant="primary" href={addressOf(`/campaigns/${copy.id}`, { environment: to })}>
              Open the copy
            </ButtonLink>
            <Button onPress={onClose}>Close</Button>
          </>
        }
      >
        <p>
          {copy.status === "ended"
            ? "Its dates have passed, so it sends nothing."
            : "It is paused: nobody gets anything until it is published there."}
        </p>
      </Dialog>
    );
  return (
    <Dialog title={copyAction()} onClose={onClose} actions={<Button onPress={onClose}>Cancel</Button>}>
      <p>This makes in {there}:</p>
      <Counts counts={made} first={["1 paused campaign, with the same dates and limits"]} />
      {Object.values(matched).some((count) => count > 0) && (
        <>
          <p>It uses what is there already, unchanged:</p>
          <Counts counts={matched} />
        </>
      )}
      {campaign.status === "ended" && <p>The dates of the campaign have passed. The copy keeps them.</p>}
      <Form model={form} label={copyAction()}>
        <TextField {...form.field("name")} label="Name of the copy" />
        <Button type="submit" variant="primary" isBusy={form.isSending.value}>
          {copyAction()}
        </Button>
      </Form>
    </Dialog>
  );
};
