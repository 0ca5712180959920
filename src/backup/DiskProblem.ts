/** What the operating system's names for a failure mean, as the end of a sentence. */
const meanings: Readonly<Record<string, string>> = {
  ENOSPC: "there is no space left on the disk",
  EDQUOT: "the disk quota of this account is used up",
  EFBIG: "the file system takes no file that large",
  EACCES: "this account may not do that",
  EPERM: "this account may not do that",
  EROFS: "the file system can only be read",
  ENOENT: "there is no such file or folder",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of the path is no folder",
  ENAMETOOLONG: "the name is too long",
  EMFILE: "this process has too many files open",
  EIO: "the disk failed",
};

/** Why work on files failed, as the end of a sentence, with the path that it failed on where that is not the one `told` already. */
export const diskTrouble = (error: unknown, told?: string): string => {
  if (!(error instanceof Error)) return String(error);
  const meaning = "code" in error ? meanings[String(error.code)] : undefined;
  if (meaning === undefined) return error.message;
  return "path" in error && typeof error.path === "string" && error.path !== told
    ? `${meaning} (${error.path})`
    : meaning;
};
