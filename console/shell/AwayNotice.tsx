import { awaySince } from "../data/ApiCall.ts";
import { formatTime } from "../parts/DisplayFormats.ts";

/** Says that the server is away. The data on the page is the last; reads go on until one succeeds. */
export const AwayNotice = () => (
  <div role="status" class="away-region">
    {awaySince.value !== null && (
      <p class="away">
        The server has not answered since {formatTime(awaySince.value)}. You see the last data; it is asked
        again every few seconds.
      </p>
    )}
  </div>
);
