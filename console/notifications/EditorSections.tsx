/** Sections below the fields of an editor, which are loaded after them. */
import { loadedLater } from "../parts/LoadedLater.tsx";

/** "What a device gets". */
export const DevicePreview = loadedLater(
  () => import("./DevicePreview.tsx"),
  (program) => program.DevicePreview,
);

/** "Send a test". */
export const TestSection = loadedLater(
  () => import("./TestSendForm.tsx"),
  (program) => program.TestSection,
);
