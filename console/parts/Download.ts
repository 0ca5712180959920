/** Offers a file to save under a name. */
export const saveFile = (file: Blob, name: string): void => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser has read the address once the click is done, but some begin to read it later.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
};
