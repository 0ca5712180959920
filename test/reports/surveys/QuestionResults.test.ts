import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import type { Question, QuestionType } from "../../../src/notifications/Survey.ts";
import { dividedBy, parseDecimal, percentOf, sumOf } from "../../../src/wire/Decimal.ts";
import { questionResult } from "../../../src/reports/surveys/QuestionResults.ts";
import { responseIds } from "../../../src/events/ResponseId.ts";
import { shownAnswers } from "../../../src/reports/surveys/ShownAnswers.ts";
import { NotificationKey, CampaignKey, DeviceKey } from "../../../src/wire/Ids.ts";

const ids = ["a", "b", "c"].map((letter) => `01980a6c-4c1d-7f10-9a41-3f1f5d7a2b7${letter}`);
const [a = "", b = "", gone = ""] = ids;

const question = (type: QuestionType): Question => ({
  id: "01980a6c-4c1d-7f10-9a41-3f1f5d7a2b70",
  question_text: "How?",
  type,
  required: false,
  choices: type.endsWith("CHOICE")
    ? [
        { id: a, text: "Bread" },
        { id: b, text: "Cheese" },
      ]
    : [],
});
const head = (type: QuestionType) => ({
  id: "01980a6c-4c1d-7f10-9a41-3f1f5d7a2b70",
  question_text: "How?",
  type,
});
const values = (counts: Readonly<Record<string, number>>) => new Map(Object.entries(counts));

/** The sum of decimals written with three decimals, in thousandths. */
const thousandths = (texts: ReadonlyArray<string>): bigint =>
  texts.reduce((sum, text) => sum + BigInt(text.replace(".", "")), 0n);

describe("Results of questions", () => {
  it("choices are counted in the survey's order, with shares of those who answered (M3.2)", () => {
    const counts = values({ [a]: 1, [b]: 2, [gone]: 4 });
    assert.deepStrictEqual(questionResult(question("SINGLE_CHOICE"), counts), {
      ...head("SINGLE_CHOICE"),
      answered: 3,
      choices: [
        { id: a, text: "Bread", count: 1, share: 33.3 },
        { id: b, text: "Cheese", count: 2, share: 66.7 },
      ],
    });
    const several = values({ [JSON.stringify([a, b])]: 1, [`["${b}", "${gone}"]`]: 1, [gone]: 1 });
    assert.deepStrictEqual(questionResult(question("MULTIPLE_CHOICE"), several), {
      ...head("MULTIPLE_CHOICE"),
      answered: 2,
      choices: [
        { id: a, text: "Bread", count: 1, share: 50 },
        { id: b, text: "Cheese", count: 2, share: 100 },
      ],
    });
  });

  it("ratings have a mean and all five counts (M3.3)", () => {
    const result = questionResult(question("RATING"), values({ 5: 2, 4: 1, 9: 7, true: 1 }));
    const distribution = [0, 0, 0, 1, 2].map((count, index) => ({ value: index + 1, count }));
    assert.deepStrictEqual(result, { ...head("RATING"), answered: 3, mean: 4.67, distribution });
    assert.isNull(questionResult(question("RATING"), new Map()).mean);
  });

  it("sliders and numbers have a mean, a median and their extremes (M3.4)", () => {
    const result = questionResult(question("NUMBER"), values({ "-1.5": 1, 2: 1, "1e3": 5, 10: 2 }));
    const figures = { answered: 4, mean: 5.13, median: 6, min: -1.5, max: 10 };
    assert.deepStrictEqual(result, { ...head("NUMBER"), ...figures });
    const none = { answered: 0, mean: null, median: null, min: null, max: null };
    assert.deepStrictEqual(questionResult(question("SLIDER"), values({ 101: 1, 0.5: 1 })), {
      ...head("SLIDER"),
      ...none,
    });
  });

  it("booleans are counted, and open texts only as answered (M3.5)", () => {
    assert.deepStrictEqual(questionResult(question("BOOLEAN"), values({ true: 3, false: 1, 1: 9 })), {
      ...head("BOOLEAN"),
      answered: 4,
      true_count: 3,
      false_count: 1,
    });
    const open = values({ "": 3, [a]: 1, true: 1 });
    assert.deepStrictEqual(questionResult(question("OPEN_ENDED"), open), {
      ...head("OPEN_ENDED"),
      answered: 4,
    });
  });

  it("means of decimals are exact and rounded once, half away from zero (M3.6)", () => {
    const mean = (texts: ReadonlyArray<string>) =>
      questionResult(question("NUMBER"), new Map(texts.map((value) => [value, 1]))).mean;
    assert.deepStrictEqual([mean(["1.005"]), mean(["-1.005"]), mean(["0.004", "-0.004"])], [1.01, -1.01, 0]);
    assert.strictEqual(mean(["-0.004"]), 0);
    assert.strictEqual(mean([`1${"0".repeat(308)}`]), 1e308);
    const text = fc
      .tuple(fc.boolean(), fc.nat({ max: 99 }), fc.nat({ max: 999 }))
      .map(([sign, whole, part]) => `${sign ? "-" : ""}${whole}.${String(part).padStart(3, "0")}`);
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 30 }), (texts) => {
        const terms = texts.flatMap((each) => {
          const value = parseDecimal(each);
          return value === null ? [] : [{ value, count: 1 }];
        });
        // In thousandths: the remainder decides how a hundredth is rounded.
        const sum = thousandths(texts);
        const size = sum < 0n ? -sum : sum;
        const divisor = 10n * BigInt(texts.length);
        const hundredths = size / divisor + (2n * (size % divisor) >= divisor ? 1n : 0n);
        const expected = (Number(hundredths) / 100) * (sum < 0n ? -1 : 1) + 0;
        assert.strictEqual(dividedBy(sumOf(terms), texts.length, 2), expected);
      }),
    );
    assert.deepStrictEqual([percentOf(1, 8), percentOf(1, 2000), percentOf(1, 0)], [12.5, 0.1, 0]);
  });

  it("a response's id holds its key, and is none of another installation (M4.1)", () => {
    const key = fc.nat({ max: 2_147_483_647 });
    const ids = responseIds("secret-key-of-the-tests-with-32-characters");
    const others = responseIds("another-key-of-the-tests-with-32-characters");
    fc.assert(
      fc.property(key, key, key, (notificationKey, campaignKey, deviceKey) => {
        const id = ids.idOf({
          notificationKey: NotificationKey(notificationKey),
          campaignKey: CampaignKey(campaignKey),
          deviceKey: DeviceKey(deviceKey),
        });
        assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        assert.deepStrictEqual(ids.keyOf(id.toUpperCase()), { notificationKey, campaignKey, deviceKey });
        assert.isNull(others.keyOf(id));
      }),
    );
    assert.isNull(ids.keyOf("01980a6c-4c1d-7f10-9a41-3f1f5d7a2b70"));
  });

  it("answers are shown with texts for choices, in order, without what was removed (M4.2)", () => {
    const asked = [question("MULTIPLE_CHOICE"), { ...question("SINGLE_CHOICE"), id: a }].map((each) => each);
    const [first = question("RATING"), second = question("RATING")] = asked;
    const shown = shownAnswers(asked, [
      { question_id: second.id, value: gone },
      { question_id: "01980a6c-4c1d-7f10-9a41-3f1f5d7a2b79", value: 3 },
      { question_id: first.id, value: [b, gone, a] },
    ]);
    assert.deepStrictEqual(shown, [{ question_id: first.id, value: ["Cheese", "Bread"] }]);
    const of = (type: QuestionType, value: unknown) =>
      shownAnswers([question(type)], [{ question_id: question(type).id, value }])[0]?.value;
    assert.deepStrictEqual(
      [of("SINGLE_CHOICE", b), of("RATING", 6), of("SLIDER", 100), of("NUMBER", -1.5), of("BOOLEAN", false)],
      ["Cheese", undefined, 100, -1.5, false],
    );
    assert.deepStrictEqual([of("OPEN_ENDED", "Fine"), of("OPEN_ENDED", null)], ["Fine", null]);
  });
});
