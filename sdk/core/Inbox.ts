/** A message, as far as it is compared. */
interface ShownMessage {
  readonly id: string;
  readonly delivered_at: string | null;
}

/** Messages, and those of the inbox that came at the same instant as the first of them. */
export const withInbox = (messages: ReadonlyArray<unknown>, inbox: ReadonlyArray<unknown>) => {
  const known = messages as ReadonlyArray<ShownMessage>;
  const more = (inbox as ReadonlyArray<ShownMessage>).filter(
    (each) => each.delivered_at === known[0]?.delivered_at && known.every(({ id }) => id !== each.id),
  );
  return [...messages, ...more];
};
