import { mayBePublic } from "../outgoing/OutgoingUrls.ts";
import type { Problems } from "../wire/Problems.ts";
import type { PushAddress } from "./PushAddress.ts";

/** The problems of a Web Push endpoint that does not lead to the public internet; none of other addresses. */
export const endpointProblems = (push: PushAddress): ReadonlyArray<string> => {
  if (push.transport !== "webpush") return [];
  const url = new URL(push.endpoint);
  const problems: Array<string> = [];
  if (url.protocol !== "https:") problems.push("The endpoint must be an https address.");
  if (!mayBePublic(url)) problems.push("The endpoint must be an address of the public internet.");
  return problems;
};

/** Checks that a Web Push endpoint leads to the public internet, unless private addresses are allowed. */
export const checkEndpoint = (
  push: PushAddress | null | undefined,
  problems: Problems,
  allowPrivateAddresses: boolean,
): void => {
  if (allowPrivateAddresses || push === null || push === undefined) return;
  for (const problem of endpointProblems(push)) problems.add("push.endpoint", problem);
};
