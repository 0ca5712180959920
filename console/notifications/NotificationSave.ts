/** Saving a notification, and checking one before. */
import { platform } from "../data/Api.ts";
import { ApiProblem, send } from "../data/ApiCall.ts";
import { refresh } from "../data/Query.ts";
import type { FormModel } from "../parts/form/Form.tsx";
import { contentDraftOf, messageDraftOf, type MessageValues } from "./NotificationForm.ts";
import { repeatedTags } from "./TranslationForm.ts";

/** Adds a notification to a campaign, or changes the one of an id. @throws ApiProblem */
export const saveNotification = async (
  campaign: string,
  id: string | null,
  values: MessageValues,
  idempotencyKey: string,
): Promise<void> => {
  checkTags(values);
  const content = messageDraftOf(values);
  const options = { ifMatch: values.version, idempotencyKey };
  try {
    await send(
      id === null
        ? platform.notifications.create(campaign, content, { idempotencyKey })
        : platform.notifications.update(campaign, id, content, options),
    );
  } catch (error) {
    if (error instanceof ApiProblem && error.code === "version_conflict") void refresh();
    throw error;
  }
};

/** @throws ApiProblem for a language that is there twice. The names of fields begin with `within`. */
const checkTags = ({ translations, variants }: MessageValues, within = ""): void => {
  const repeated = [
    [within, translations] as const,
    ...variants.map((variant, index) => [`${within}variants.${index}.`, variant.translations] as const),
  ].flatMap(([start, each]) =>
    Object.entries(repeatedTags(each)).map(([name, sentences]) => [start + name, sentences] as const),
  );
  if (repeated.length === 0) return;
  const fields = Object.fromEntries(repeated);
  throw new ApiProblem(422, "validation_failed", "A language is there twice.", fields);
};

const prefix = "notification.";

/** The draft of a preview of what is typed. The ids of stored questions are not of it. */
export const previewOf = (values: MessageValues) => {
  checkTags(values, prefix);
  const questions = values.questions.map((question) => ({ ...question, id: null }));
  return { notification: contentDraftOf({ ...values, questions }) };
};

/** The part of a problem that is not of the draft. That of the draft stands at its fields. */
export const divided = (problem: ApiProblem, message: FormModel<MessageValues>): ApiProblem => {
  const entries = Object.entries(problem.fields);
  const ofDraft = entries.filter(([name]) => name.startsWith(prefix));
  if (ofDraft.length === 0) return problem;
  message.problems.value = Object.fromEntries(
    ofDraft.map(([name, sentences]) => [name.slice(prefix.length), sentences]),
  );
  return new ApiProblem(
    problem.status,
    problem.code,
    "The notification has problems. They stand at its fields.",
    Object.fromEntries(entries.filter(([name]) => !name.startsWith(prefix))),
  );
};

/** The problems of the time at which a notification goes out. */
const triggerProblems = (values: MessageValues): Readonly<Record<string, ReadonlyArray<string>>> => {
  const { event, minutes, send_at: sendAt, trigger_type: trigger } = values;
  if (trigger === "fixed_time" && sendAt.trim() === "")
    return { "trigger_config.send_at": ["Choose the time at which it is sent, such as 09:30."] };
  if (trigger === "on_event" && event.trim() === "")
    return { "trigger_config.event": ["Choose the event on which it is sent, such as order.placed."] };
  if (trigger === "on_dwell" && minutes.trim() === "")
    return { "trigger_config.minutes": ["Choose after how many minutes it is sent, 1 to 1440."] };
  return {};
};

/** Whether a message could be saved, as far as is known before. What is wrong stands at its fields. */
export const checkMessage = async (message: FormModel<MessageValues>): Promise<boolean> => {
  const values = message.values.value;
  message.problems.value = {};
  try {
    await send(platform.previews.preview(previewOf({ ...values, name: values.name || "Message" })));
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status === null) throw error;
    if (divided(error, message) === error) throw error;
  }
  message.problems.value = { ...message.problems.value, ...triggerProblems(values) };
  return Object.keys(message.problems.value).length === 0;
};
