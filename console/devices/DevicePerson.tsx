/** The person behind a device: the other devices, and for the operator export and erasure. */
import { useState } from "preact/hooks";
import { here, operator, platform } from "../data/Api.ts";
import { fetchResponse } from "../data/ApiCall.ts";
import { useData } from "../data/Query.ts";
import { ActionButton } from "../parts/ActionButton.tsx";
import { Button } from "../parts/Button.tsx";
import { CardSection } from "../parts/CardSection.tsx";
import { formatCount } from "../parts/DisplayFormats.ts";
import { saveFile } from "../parts/Download.ts";
import { addressOf } from "../routing/Router.ts";
import { isOperator } from "../session/SessionState.ts";
import { ErasureDialog } from "./ErasureDialog.tsx";

const maxCounted = 100;

const Devices = ({ userId }: { readonly userId: string }) => {
  const { data } = useData(platform.devices.list({ user_id: userId, limit: maxCounted }));
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
  const save = async (): Promise<void> => {
    const response = await fetchResponse(operator.people.export(...here(), userId));
    saveFile(await response.blob(), "person.json");
  };
  return (
    <>
      <div class="actions">
        <ActionButton onPress={save}>Export all about this person</ActionButton>
        <Button onPress={() => setErasing(true)}>Erase person</Button>
      </div>
      {isErasing && (
        <ErasureDialog
          noun="person"
          name={userId}
          erase={operator.people.erase(...here(), userId)}
          onClose={() => setErasing(false)}
        />
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
