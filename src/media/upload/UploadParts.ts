import { MultipartParser } from "effect/http";
import { maxFileBytes } from "../MediaFile.ts";

const maxParts = 100;
/** Limit for everything but the content of the file, including the headers of parts. */
const maxOtherBytes = 1_048_576;
/** How much of a name is kept. 255 characters have at most 1,020 bytes, so a longer name is too long. */
export const maxNameBytes = 8192;

type Problem = readonly [field: "file" | "body", sentence: string];

const fileTooLarge: Problem = ["file", "The file may have at most 51,200 KB."];
const severalFiles: Problem = ["file", "Send one file: a request with several files is not accepted."];
const tooManyParts: Problem = ["body", "The body has over 100 parts: send a file and, if you like, a name."];
const tooMuchElse: Problem = [
  "body",
  "Besides the file the body may hold at most 1 MiB: send a file and, if you like, a name.",
];
const noBoundary: Problem = [
  "file",
  "The file is required: send it as multipart/form-data, with the boundary that the content type names.",
];

interface NamePart {
  readonly isFile: boolean;
  readonly chunks: Array<Uint8Array>;
  bytes: number;
}

/**
 * Parses a multipart body as it arrives. Returns the `file` part in chunks, keeps the `name` part, and counts
 * and drops the rest: memory stays flat. `isFinished` says that the rest of the body does not matter.
 */
export class UploadParts {
  /** The number of file parts named `file`. */
  files = 0;
  fileBytes = 0;
  /** The file name that the client sent, perhaps with folders. */
  filename: string | null = null;
  /** Whether a part named `file` was a plain field. */
  isPlainField = false;
  /** Whether a part had invalid headers. */
  isBroken = false;
  /** Why parsing stopped before the end of the body; null if it did not. */
  stopped: Problem | null = null;
  /** Whether the final boundary has arrived. */
  isWhole = false;

  /** The parts named `name`. */
  readonly names: Array<NamePart> = [];

  /** Chunks of the file in the chunk of the body that is being parsed. */
  readonly #fileChunks: Array<Uint8Array> = [];
  /** Size of the body so far. */
  bytes = 0;
  #parts = 0;
  readonly #parser: MultipartParser.Parser;

  constructor(headers: Record<string, string>) {
    this.#parser = MultipartParser.make({
      headers,
      // Streams every part, so that the parser buffers none.
      isFile: () => true,
      onField: () => {},
      onFile: (part) => this.#open(part),
      onError: (error) => {
        if (this.isWhole) return;
        if (error._tag === "InvalidBoundary") this.stopped = noBoundary;
        else if (error._tag === "BadHeaders" || error._tag === "InvalidDisposition") {
          this.isBroken = true;
          this.#count();
        }
      },
      onDone: () => {
        this.isWhole = true;
      },
    });
  }

  get isFinished(): boolean {
    return this.isWhole || this.stopped !== null;
  }

  /** Parses a chunk of the body and returns the chunks of the file in it. */
  parse(chunk: Uint8Array): ReadonlyArray<Uint8Array> {
    this.bytes += chunk.length;
    this.#parser.write(chunk);
    if (this.stopped === null && this.bytes - this.fileBytes > maxOtherBytes) {
      this.stopped = this.#parts === 0 ? noBoundary : tooMuchElse;
    }
    return this.#fileChunks.splice(0);
  }

  #count(): void {
    if (++this.#parts > maxParts && this.stopped === null) this.stopped = tooManyParts;
  }

  #open(part: MultipartParser.PartInfo): (chunk: Uint8Array | null) => void {
    this.#count();
    if (this.isFinished) return ignore;
    // A part without a file name is a file if its type is not text.
    const isFile = part.filename !== undefined || !part.contentType.toLowerCase().startsWith("text/");
    if (part.name === "name") {
      const sent: NamePart = { isFile, chunks: [], bytes: 0 };
      this.names.push(sent);
      return (chunk) => {
        if (chunk !== null && sent.bytes <= maxNameBytes) sent.chunks.push(chunk.slice());
        sent.bytes += chunk?.length ?? 0;
      };
    }
    if (part.name !== "file") return ignore;
    if (!isFile) {
      this.isPlainField = true;
      return ignore;
    }
    if (++this.files > 1) {
      this.stopped = severalFiles;
      return ignore;
    }
    this.filename = part.filename ?? null;
    return (chunk) => {
      if (chunk === null || this.stopped !== null) return;
      this.fileBytes += chunk.length;
      if (this.fileBytes > maxFileBytes) this.stopped = fileTooLarge;
      else this.#fileChunks.push(chunk);
    };
  }
}

const ignore = (): void => {};
