/** The texts of the inbox in English. An attribute of the same name, such as `empty="…"`, replaces one. */
export const defaultTexts = {
  heading: "Messages",
  empty: "There are no messages yet.",
  failed: "The messages could not be loaded.",
  retry: "Try again",
  open: "Open",
  send: "Send answers",
  sent: "Thank you. Your answers are on their way.",
  required: "Please answer this question.",
  optional: "optional",
  yes: "Yes",
  no: "No",
};

/** The texts by name. */
export type InboxTexts = Readonly<typeof defaultTexts>;
