import { useEffect, useState } from "preact/hooks";

/** The value, or the last one while another filter or page loads. */
export const useLast = <Value>(value: Value | undefined): Value | undefined => {
  const [last, setLast] = useState(value);
  useEffect(() => {
    if (value !== undefined) setLast(value);
  }, [value]);
  return value ?? last;
};
