/** Short messages that something was done, some with "Undo". They leave by themselves. */
import { sentencesOf } from "../data/ApiCall.ts";
import { signal } from "@preact/signals";
import { Button } from "./Button.tsx";

/** The time of a message, in milliseconds; one that can be undone stays longer. */
const [shownMillis, undoMillis] = [8_000, 30_000];

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly undo: (() => Promise<unknown>) | undefined;
}

const toasts = signal<ReadonlyArray<Toast>>([]);
let lastId = 0;

const remove = (toast: Toast): void => {
  toasts.value = toasts.value.filter((each) => each !== toast);
};

/** Removes a message after its time, but not while the pointer or the focus is on it. */
const removeLater = (toast: Toast, millis: number): void => {
  setTimeout(() => {
    if (document.querySelector(".toasts:is(:hover, :focus-within)") === null) remove(toast);
    else removeLater(toast, shownMillis);
  }, millis);
};

/** Shows a message such as "Saved." for some seconds. What was done can be undone while it is there. */
export const showToast = (text: string, undo?: () => Promise<unknown>): void => {
  const toast = { id: ++lastId, text, undo };
  toasts.value = [...toasts.value, toast].slice(-3);
  removeLater(toast, undo === undefined ? shownMillis : undoMillis);
};

const takeBack = async (toast: Toast): Promise<void> => {
  remove(toast);
  try {
    await toast.undo?.();
    showToast("It is undone.");
  } catch (error) {
    showToast(`It was not undone. ${sentencesOf(error).join(" ")}`);
  }
};

/** The region of the messages; it is there once, and screen readers read what comes into it. */
export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    {toasts.value.map((toast) => (
      <p class="toast" key={toast.id}>
        <bdi>{toast.text}</bdi>{" "}
        {toast.undo !== undefined && (
          <Button variant="plain" onPress={() => void takeBack(toast)}>
            Undo
          </Button>
        )}
      </p>
    ))}
  </div>
);
