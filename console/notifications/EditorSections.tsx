/** Parts of an editor that few need, or that are below its fields: they are loaded after them. */
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

/** "Variants". */
export const VariantFields = loadedLater(
  () => import("./VariantFields.tsx"),
  (program) => program.VariantFields,
);

/** "Push options". */
export const PushFields = loadedLater(
  () => import("./PushFields.tsx"),
  (program) => program.PushFields,
);

/** The questions of a survey. */
export const QuestionFields = loadedLater(
  () => import("./QuestionFields.tsx"),
  (program) => program.QuestionFields,
);

/** Translations. */
export const TranslationFields = loadedLater(
  () => import("./TranslationFields.tsx"),
  (program) => program.TranslationFields,
);
