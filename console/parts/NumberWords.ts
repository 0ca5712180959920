const small = [
  ..."zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen".split(" "),
  ..."fifteen sixteen seventeen eighteen nineteen".split(" "),
];
const tens = "- - twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const scales = [
  [1_000_000_000, "billion"],
  [1_000_000, "million"],
  [1_000, "thousand"],
  [100, "hundred"],
] as const;

/** A whole number from zero in words, such as "one thousand two hundred four". */
export const numberWords = (value: number): string => {
  for (const [scale, name] of scales) {
    if (value < scale) continue;
    const rest = value % scale;
    const head = `${numberWords(Math.floor(value / scale))} ${name}`;
    return rest === 0 ? head : `${head} ${numberWords(rest)}`;
  }
  if (value < 20) return small[value] ?? String(value);
  const rest = value % 10;
  return `${tens[Math.floor(value / 10)]}${rest === 0 ? "" : `-${small[rest]}`}`;
};
