/** The two forms of the editor of campaigns, that of the campaign and that of a message, saved as one. */
import { useRef } from "preact/hooks";
import { ApiProblem } from "../data/ApiCall.ts";
import { refresh } from "../data/Query.ts";
import type { Campaign, Notification } from "../data/Resources.ts";
import { isWritten, newMessage, type MessageValues } from "../notifications/NotificationForm.ts";
import { checkMessage, saveNotification } from "../notifications/NotificationSave.ts";
import { focusFirstProblem, type FormModel, useForm } from "../parts/form/Form.tsx";
import { addressOf, navigate } from "../routing/Router.ts";
import { type CampaignValues, isIncomplete, valuesOf } from "./CampaignForm.ts";
import { saveCampaign, type SaveIntent } from "./CampaignSave.ts";
import {
  type Step,
  stepAddress,
  stepOfAddress,
  stepOfField,
  stepOfMessageField,
  steps,
} from "./EditorSteps.tsx";

/** The message that is edited with a campaign. */
export interface EditedMessage {
  /** The name of its form, under which its draft is kept. */
  readonly draft: string;
  readonly initial: MessageValues;
  /** The id of a notification that is there. */
  readonly storedId: string | null;
}

/** A campaign, new or there, with its message. */
export interface Edited {
  /** The name of the form, under which its draft is kept. */
  readonly draft: string;
  readonly initial: CampaignValues;
  /** The campaign as it is now, with its version; null for a new one. */
  readonly stored: { readonly campaign: Campaign; readonly version: string } | null;
  /** Null if the session may not write messages. */
  readonly message: EditedMessage | null;
  /** The other notifications of the campaign, or those that a copy gets. */
  readonly others: ReadonlyArray<Notification>;
}

/** The draft of the next message of a campaign. */
export const nextMessageDraft = (campaign: string): string => `notification new ${campaign}`;

interface EditorForms {
  readonly form: FormModel<CampaignValues>;
  readonly message: FormModel<MessageValues>;
  /** How much is to be changed on a step. */
  readonly problems: (step: Step) => number;
  /** Saves both. What is wrong is shown on its step. */
  readonly save: (intent: SaveIntent) => Promise<void>;
  /** Whether both could be published, as far as is known before. What is wrong is shown on its step. */
  readonly check: () => Promise<boolean>;
}

/** Both forms. */
export const useEditorForms = ({ draft, initial, message: edited, others, stored }: Edited): EditorForms => {
  const intent = useRef<SaveIntent>("paused");
  const target = useRef<Campaign | null>(null);
  const message = useForm<MessageValues>({
    draft: edited?.draft ?? null,
    initial: edited?.initial ?? newMessage(initial.type),
    send: async (values, idempotencyKey) => {
      if (target.current === null) return;
      const { id, name } = target.current;
      // A message without a name of its own has that of its campaign.
      const named = { ...values, name: values.name.trim() || name };
      await saveNotification(id, edited?.storedId ?? null, named, idempotencyKey);
    },
  });
  const isMessageWanted = (): boolean => {
    if (edited === null) return false;
    if (edited.storedId !== null) return message.isChanged.value;
    return isWritten(message.values.value) || (intent.current === "publish" && others.length === 0);
  };
  const form = useForm<CampaignValues>({
    draft,
    initial,
    send: async (values, idempotencyKey) => {
      try {
        await saveCampaign({
          values,
          intent: intent.current,
          idempotencyKey,
          stored: stored?.campaign ?? null,
          copies: stored === null ? others : [],
          message: isMessageWanted()
            ? {
                save: (campaign) => {
                  target.current = campaign;
                  return message.submit();
                },
                resume: ({ id }) => {
                  const step = Object.keys(message.problems.value).map(stepOfMessageField)[0];
                  message.moveTo(nextMessageDraft(id));
                  navigate(addressOf(`/campaigns/${id}/edit`, { step }), { isReplaced: true });
                },
              }
            : null,
          onSaved: async (campaign, version) => {
            const saved = valuesOf(campaign, version);
            form.rebase(saved, saved);
            await refresh();
          },
        });
      } catch (error) {
        if (error instanceof ApiProblem && error.code === "version_conflict") void refresh();
        throw error;
      }
    },
  });
  const problems = (step: Step): number =>
    Object.keys(form.problems.value).filter((name) => stepOfField(name) === step).length +
    Object.keys(message.problems.value).filter((name) => stepOfMessageField(name) === step).length;
  const showProblems = (): void => {
    const first = steps.find(([key]) => problems(key) > 0)?.[0];
    if (first !== undefined && problems(stepOfAddress()) === 0) navigate(stepAddress(first));
    requestAnimationFrame(() => requestAnimationFrame(focusFirstProblem));
  };
  const save = async (next: SaveIntent): Promise<void> => {
    intent.current = next;
    if (!(await form.submit())) showProblems();
  };
  const check = async (): Promise<boolean> => {
    intent.current = "publish";
    const isRight = !isMessageWanted() || (await checkMessage(message));
    if (isIncomplete(form.values.value)) {
      intent.current = "check";
      await form.submit();
    } else if (isRight) return true;
    showProblems();
    return false;
  };
  return { form, message, problems, save, check };
};
