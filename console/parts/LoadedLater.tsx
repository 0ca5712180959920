/** Components whose program is loaded with their first use. */
import type { ComponentChildren, ComponentType, FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";

const retryMillis = 3_000;
let attempts = 0;

/**
 * Imports a program. Browsers keep that an import failed for as long as the page is open, so after a failure
 * another address of the same program is asked.
 */
export const again = async <Program,>(load: () => Promise<Program>): Promise<Program> => {
  try {
    return await load();
  } catch (error) {
    const [address] = /https?:\S+\.js/.exec(String(error)) ?? [];
    if (address === undefined) throw error;
    return (await import(`${address}?${++attempts}`)) as Program;
  }
};

/** The component of a program. Until it arrives, it is asked for again, and something else is shown. */
export const loadedLater = <Program, Props extends object>(
  load: () => Promise<Program>,
  componentOf: (program: Program) => ComponentType<Props>,
  meanwhile: ComponentChildren = null,
): FunctionComponent<Props> => {
  let Loaded: ComponentType<Props> | undefined;
  return (props: Props) => {
    const [isReady, setReady] = useState(Loaded !== undefined);
    useEffect(() => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      let isLeft = isReady;
      const read = async (): Promise<void> => {
        try {
          Loaded ??= componentOf(await again(load));
          if (!isLeft) setReady(true);
        } catch {
          if (!isLeft) timer = setTimeout(() => void read(), retryMillis);
        }
      };
      if (!isReady) void read();
      return () => {
        isLeft = true;
        clearTimeout(timer);
      };
    }, []);
    return Loaded === undefined || !isReady ? <>{meanwhile}</> : <Loaded {...props} />;
  };
};
