import { make } from "./Elements.ts";
import type { InboxTexts } from "./InboxTexts.ts";

/** A question of a survey, as a message shows it. */
export interface Question {
  readonly id: string;
  readonly question_text: string;
  readonly type: string;
  readonly required: boolean;
  readonly choices: ReadonlyArray<{ readonly id: string; readonly text: string }>;
}

/** The answer to one question. */
export interface Answer {
  readonly question_id: string;
  readonly value: unknown;
}

/** The choices of a question with their values: those of the survey, or those that its type has. */
const choicesOf = ({ choices, type }: Question, texts: InboxTexts) => {
  if (type === "BOOLEAN")
    return [
      { id: "true", text: texts.yes },
      { id: "false", text: texts.no },
    ];
  if (type === "RATING") return ["1", "2", "3", "4", "5"].map((id) => ({ id, text: id }));
  return choices;
};

/** The value of an answer from its controls; null for none. */
const valueOf = (type: string, values: ReadonlyArray<string>): unknown => {
  const [value = ""] = values;
  if (type === "MULTIPLE_CHOICE") return values.length === 0 ? null : values;
  if (value === "") return null;
  if (type === "BOOLEAN") return value === "true";
  return type === "RATING" || type === "NUMBER" || type === "SLIDER" ? Number(value) : value;
};

const controlsOf = (question: Question, label: string, texts: InboxTexts): ReadonlyArray<HTMLElement> => {
  const { id, type } = question;
  if (type === "OPEN_ENDED")
    return [make("textarea", { name: id, maxlength: "2000", rows: "3", "aria-label": label, part: "input" })];
  if (type === "NUMBER")
    return [make("input", { name: id, type: "number", step: "any", "aria-label": label, part: "input" })];
  if (type === "SLIDER") {
    const shown = make("output", {}, "–");
    const slider = make("input", { type: "range", min: "0", max: "100", "aria-label": label, part: "input" });
    // Without a move there is no answer: the position in the middle is not one.
    slider.addEventListener("input", () => {
      slider.name = id;
      shown.value = slider.value;
    });
    return [slider, shown];
  }
  const kind = type === "MULTIPLE_CHOICE" ? "checkbox" : "radio";
  return choicesOf(question, texts).map(({ id: value, text }) =>
    make("label", { part: "choice" }, make("input", { type: kind, name: id, value }), make("span", {}, text)),
  );
};

/** Replaces the form by thanks once the answers are queued. */
const finish = async (form: HTMLFormElement, queued: Promise<void>, texts: InboxTexts): Promise<void> => {
  await queued;
  const sent = make("p", { part: "sent", role: "status", tabindex: "-1" }, texts.sent);
  form.replaceWith(sent);
  sent.focus();
};

/** A form for the questions of a survey. `submit` gets the answers once every required one is there. */
export const surveyForm = (
  questions: ReadonlyArray<Question>,
  texts: InboxTexts,
  submit: (answers: ReadonlyArray<Answer>) => Promise<void>,
): HTMLFormElement => {
  const fields = questions.map((question) => {
    const { question_text: text, required } = question;
    const problem = make("p", { part: "problem", role: "alert", hidden: true }, texts.required);
    const legend = make("legend", {}, required ? text : `${text} (${texts.optional})`);
    const controls = controlsOf(question, text, texts);
    return { question, problem, field: make("fieldset", { part: "question" }, legend, ...controls, problem) };
  });
  const button = make("button", { part: "button" }, texts.send);
  const form = make(
    "form",
    { part: "survey", novalidate: true },
    ...fields.map(({ field }) => field),
    button,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const data = new FormData(form);
    const answers = questions.flatMap(({ id, type }): ReadonlyArray<Answer> => {
      const value = valueOf(type, data.getAll(id).map(String));
      return value === null ? [] : [{ question_id: id, value }];
    });
    const answered = new Set(answers.map((answer) => answer.question_id));
    const missing = fields.filter(({ problem, question }) => {
      problem.hidden = !question.required || answered.has(question.id);
      return !problem.hidden;
    });
    if (missing.length > 0) missing[0]?.field.querySelector<HTMLElement>("input, textarea")?.focus();
    else void finish(form, submit(answers), texts);
  });
  return form;
};
