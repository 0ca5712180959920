import { Data } from "effect";
import { ServiceUnavailable } from "../../wire/ApiError.ts";

/** The file is none that can be taken; the message is a full sentence for the field `file`. */
export class MediaRefused extends Data.TaggedError("MediaRefused")<{ readonly message: string }> {}

/** Files cannot be looked into now: too many are waiting, or this machine cannot run what looks into them. */
export class MediaReaderAway extends Data.TaggedError("MediaReaderAway")<{
  /** For the log, never for clients. */
  readonly problem: string;
}> {
  override get message(): string {
    return `Media files cannot be looked into: ${this.problem}`;
  }
  /** What a client is told: 503 with `Retry-After`. */
  get refusal(): ServiceUnavailable {
    return ServiceUnavailable.of(
      "The service cannot look into media files at the moment: try again in a few seconds.",
    );
  }
}
