/** The most code points of the texts of a notification (contract F1, F5). */
export const maxLengths = {
  headline: 65,
  body: 100_000,
  cta_label: 255,
  // A push payload has 4,096 bytes, and an address cannot be shortened.
  cta_url: 2048,
  question_text: 500,
  choice: 500,
} as const;
