import { sentencesOf } from "../data/ApiCall.ts";
import { useState } from "preact/hooks";
import { Button, type ButtonProps } from "./Button.tsx";
import { ProblemText } from "./PageFrame.tsx";

/** A button that does something at once. If that fails, it says why beside itself. */
export const ActionButton = ({
  onPress,
  ...button
}: Omit<ButtonProps, "isBusy" | "onPress"> & { readonly onPress: () => Promise<unknown> }) => {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const press = async (): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      await onPress();
    } catch (error) {
      setProblem(sentencesOf(error).join(" "));
    }
    setBusy(false);
  };
  return (
    <>
      <Button {...button} isBusy={isBusy} onPress={() => void press()} />
      <ProblemText text={problem} />
    </>
  );
};
