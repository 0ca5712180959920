import { isIP } from "node:net";
import { isPublicAddress } from "../notifications/PublicAddressRanges.ts";
import type { PushAddress } from "./PushAddress.ts";

/** The problems of a Web Push endpoint that does not lead to the public internet; none of other addresses. */
export const endpointProblems = (push: PushAddress): ReadonlyArray<string> => {
  if (push.transport !== "webpush") return [];
  const { hostname, protocol } = new URL(push.endpoint);
  const problems: Array<string> = [];
  if (protocol !== "https:") problems.push("The endpoint must be an https address.");
  const host = hostname.replace(/^\[|\]$/g, "");
  if (host === "localhost" || (isIP(host) !== 0 && !isPublicAddress(host))) {
    problems.push("The endpoint must be an address of the public internet.");
  }
  return problems;
};
