/** The person behind a device: the other devices, and for the operator export and erasure. */
import { useState } from "preact/hooks";
import { request } from "../data/ApiCall.ts";
import { usePlatform } from "../data/Query.ts";
import type { Device, Page } from "../data/Resources.ts";
import { Button } from "../parts/Button.tsx";
import { CardSection } from "../parts/CardSection.tsx";
import { formatCount } from "../parts/DisplayFormats.ts";
import { saveFile } from "../parts/Download.ts";
import { addressOf } from "../routing/Router.ts";
import { isOperator } from "../session/SessionState.ts";
import { ErasureDialog, operatorPath } from "./ErasureDialog.tsx";

const maxCounted = 100;

const Devices = ({ userId }: { readonly userId: string }) => {
  const query = new URLSearchParams({ user_id: userId, limit: String(maxCounted) });
  const { data } = usePlatform<Page<Device>>(`/devices?${query.toString()}`);
  const count = data?.data.length ?? 0;
  const text = `${formatCount(count, "device")}${data?.meta.next_cursor ? " and more" : ""}`;
  return (
    <p>
      <strong>{userId}</strong>{" "}
      {data !== undefined && <a href={addressOf("/devices", { user_id: userId })}>{text}</a>}
    </p>
  );
};

const OperatorActions = ({ userId }: { readonly userId: string }) => {
  const [isErasing, setErasing] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const path = `people/${encodeURIComponent(userId)}`;
  const save = async (): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      const response = await request(`/operator/v1${operatorPath(path)}`);
      saveFile(await response.blob(), "person.json");
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <div class="actions">
        <Button isBusy={isBusy} onPress={() => void save()}>
          Export all about this person
        </Button>
        <Button onPress={() => setErasing(true)}>Erase person</Button>
      </div>
      {problem !== null && (
        <p class="notice notice-problem" role="alert">
          {problem}
        </p>
      )}
      {isErasing && (
        <ErasureDialog noun="person" name={userId} path={path} onClose={() => setErasing(false)} />
      )}
    </>
  );
};

/** "Person". */
export const Person = ({ userId }: { readonly userId: string | null }) => (
  <CardSection title="Person">
    {userId === null ? (
      <p class="quiet">The app has not said whose device it is.</p>
    ) : (
      <>
        <Devices userId={userId} />
        {isOperator() && <OperatorActions userId={userId} />}
      </>
    )}
  </CardSection>
);
