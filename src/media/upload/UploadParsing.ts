import { Effect, Stream } from "effect";
import type { HttpServerRequest } from "effect/http";
import type { HttpApiEndpoint } from "effect/http-api";
import { UnsupportedMediaType } from "../../wire/ApiError.ts";
import type { Problems } from "../../wire/Problems.ts";
import { bodyRules } from "../../wire/RequestBody.ts";
import { parseFields } from "../../wire/ParsedBody.ts";
import { codePoints } from "../../wire/CodePoints.ts";
import { MediaDraft } from "../MediaFile.ts";
import { MediaStoreUnavailable } from "../store/MediaStore.ts";
import type { UploadFolder } from "./UploadFolder.ts";
import { maxNameBytes, UploadParts } from "./UploadParts.ts";

/** An upload request whose body is unread. */
export interface UploadRequest {
  readonly request: HttpServerRequest.HttpServerRequest;
  readonly endpoint: HttpApiEndpoint.Constraint;
}

/** An upload as it was sent. If `problems` has `file` or `body`, there is no file to inspect. */
interface SentUpload {
  /** The path of the file on disk. */
  readonly path: string;
  /** Size of the file. */
  readonly bytes: number;
  /** The `name` field; undefined if it is missing or invalid. */
  readonly name: string | undefined;
  /** The name of the uploaded file, fit to be stored; null if it has none. */
  readonly ownName: string | null;
  readonly problems: Problems;
}

/** Limit for a whole upload: 50 MB at 1.5 Mbit/s. */
const uploadTimeout = "280 seconds";
/** Each interval of an upload must bring at least `minBytes`. */
const interval = "20 seconds";
const minBytes = 20_480;

/**
 * Reads the multipart body of an upload into a file of the folder. Stops reading as soon as the file is too
 * large. Reports every problem of its parts (contract B3, B4, H1).
 */
export const readUpload = Effect.fnUntraced(function* (
  { endpoint, request }: UploadRequest,
  folder: UploadFolder["Service"],
) {
  const { contentTypes } = bodyRules(endpoint as unknown as HttpApiEndpoint.Top);
  const contentType = request.headers["content-type"] ?? "";
  const type = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type !== "" && !contentTypes.includes(type)) return yield* UnsupportedMediaType.of(contentTypes);
  const parts = new UploadParts({ "content-type": contentType });
  const { handle, path } = yield* folder.file;

  const receiving = Stream.runForEachWhile(
    request.stream,
    Effect.fnUntraced(function* (chunk) {
      for (const fileChunk of parts.parse(chunk)) {
        yield* MediaStoreUnavailable.attempt(
          () => handle.writeFile(fileChunk),
          "an upload cannot be written to disk: ",
        );
      }
      return !parts.isFinished;
    }),
    // A client that disconnects has sent no final boundary: that is reported below.
  ).pipe(
    Effect.catchIf(
      (error) => error._tag === "HttpServerError",
      () => Effect.void,
    ),
  );

  const tooSlow = Effect.gen(function* () {
    let before = -minBytes;
    while (parts.bytes - before >= minBytes) {
      before = parts.bytes;
      yield* Effect.sleep(interval);
    }
  });

  if (!parts.isFinished) {
    yield* Effect.raceFirst(receiving, tooSlow).pipe(Effect.timeoutOption(uploadTimeout));
  }
  return sentUpload(parts, path);
});

const sentUpload = (parts: UploadParts, path: string): SentUpload => {
  const name = nameOf(parts);
  const { problems } = name;
  if (parts.stopped !== null) problems.add(...parts.stopped);
  else if (!parts.isWhole)
    problems.add("file", "The file did not arrive whole, or not in time: send it again.");
  else if (parts.isBroken) problems.add("body", "The body has a part whose headers cannot be read.");
  else if (parts.files === 0) {
    problems.add(
      "file",
      parts.isPlainField
        ? "The file must be sent as a file: give the part a file name."
        : "The file is required: send it as the part file of a multipart/form-data body.",
    );
  } else if (parts.fileBytes === 0) problems.add("file", "The file is empty.");
  return {
    path,
    bytes: parts.fileBytes,
    name: name.value,
    ownName: parts.filename === null ? null : storableName(parts.filename),
    problems,
  };
};

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The `name` field and its problems (contract B5). */
const nameOf = ({
  names,
}: UploadParts): { readonly value: string | undefined; readonly problems: Problems } => {
  let text: string | undefined;
  let problem: string | null = names.length > 1 ? "The name must be sent once." : null;
  for (const { bytes, chunks, isFile } of names) {
    if (isFile) problem = "The name must be a text, not a file.";
    const whole = Buffer.concat(chunks);
    try {
      text = bytes > maxNameBytes ? whole.toString("utf8") : utf8.decode(whole);
    } catch {
      problem ??= "The name must be a text in UTF-8.";
    }
  }
  const { fields, problems } = parseFields(
    MediaDraft,
    problem !== null || text === undefined ? {} : { name: text },
  );
  if (problem !== null) problems.add("name", problem);
  return { value: fields.name ?? undefined, problems };
};

/** The last segment of a path of any system, without NUL, cut to 255 characters. */
const storableName = (filename: string): string | null => {
  const last = filename.toWellFormed().replaceAll("\0", "").split(/[/\\]/).at(-1)?.trim() ?? "";
  const name = codePoints(last) <= 255 ? last : Array.from(last).slice(0, 255).join("").trim();
  return name === "" ? null : name;
};
