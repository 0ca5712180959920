import { useEffect, useState } from "preact/hooks";

const pauseMillis = 250;

/** A text that follows what is typed once the typing pauses. */
export const usePaused = (text: string): string => {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), pauseMillis);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
};
