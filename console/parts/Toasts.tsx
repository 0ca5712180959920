/** Short messages that something was done. They leave by themselves, and hold nothing that is needed. */
import { signal } from "@preact/signals";

const shownMillis = 8_000;

interface Toast {
  readonly id: number;
  readonly text: string;
}

const toasts = signal<ReadonlyArray<Toast>>([]);
let lastId = 0;

/** Shows a message such as "Saved." for some seconds. */
export const showToast = (text: string): void => {
  const toast = { id: ++lastId, text };
  toasts.value = [...toasts.value, toast].slice(-3);
  setTimeout(() => (toasts.value = toasts.value.filter((each) => each !== toast)), shownMillis);
};

/** The region of the messages; it is there once, and screen readers read what comes into it. */
export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    {toasts.value.map(({ id, text }) => (
      <p class="toast" key={id}>
        {text}
      </p>
    ))}
  </div>
);
