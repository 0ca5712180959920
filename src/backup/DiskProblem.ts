/** The meanings of error codes of the file system, as the end of a sentence. */
const meanings: Readonly<Record<string, string>> = {
  ENOSPC: "there is no space left on the disk",
  EDQUOT: "the disk quota of this account is used up",
  EFBIG: "the file system does not support files of this size",
  EACCES: "this account does not have permission",
  EPERM: "this account does not have permission",
  EROFS: "the file system is read-only",
  ENOENT: "there is no such file or folder",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of the path is not a folder",
  ENAMETOOLONG: "the name is too long",
  EMFILE: "this process has too many open files",
  EIO: "the disk failed",
};

/** The code of an error of the file system, such as `ENOENT`; empty for other errors. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "";

/** Why a file operation failed, as the end of a sentence. It names the path, unless that is `knownPath`. */
export const diskProblem = (error: unknown, knownPath?: string): string => {
  if (!(error instanceof Error)) return String(error);
  const meaning = meanings[errorCode(error)];
  if (meaning === undefined) return error.message;
  return "path" in error && typeof error.path === "string" && error.path !== knownPath
    ? `${meaning} (${error.path})`
    : meaning;
};
