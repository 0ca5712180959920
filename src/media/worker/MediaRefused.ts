import { Data } from "effect";
import { ServiceUnavailable } from "../../wire/ApiError.ts";

/** The file cannot be accepted. The message is a full sentence for the field `file`. */
export class MediaRefused extends Data.TaggedError("MediaRefused")<{ readonly message: string }> {}

/** No media worker can take the file now: too many jobs wait, or the workers cannot run on this machine. */
export class MediaWorkersUnavailable extends Data.TaggedError("MediaWorkersUnavailable")<{
  /** For the log, never for clients. */
  readonly problem: string;
}> {
  override get message(): string {
    return `Media files cannot be inspected: ${this.problem}`;
  }
  /** The error for clients: 503 with `Retry-After`. */
  get apiError(): ServiceUnavailable {
    return ServiceUnavailable.of(
      "The service cannot inspect media files at the moment: try again in a few seconds.",
    );
  }
}
