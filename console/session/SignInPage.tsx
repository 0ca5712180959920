/** Signing in: with an access key, or with the code of a one-time address. */
import { useEffect, useState } from "preact/hooks";
import { Button } from "../parts/Button.tsx";
import { TextField } from "../parts/form/Fields.tsx";
import { Form, useForm } from "../parts/form/Form.tsx";
import { ApiProblem } from "../data/ApiCall.ts";
import { addressOf, navigate, path } from "../routing/Router.ts";
import { signIn } from "./SignIn.ts";
import { endedMessage } from "./SessionState.ts";

const signInPath = "/sign-in";

/** The code of a one-time address. It is in the fragment, which the browser sends to no server. */
const codeInAddress = (): string => (path.value === signInPath ? location.hash.slice(1) : "");

/** An unknown key is a problem of the field; the sentence is the API's. */
const atField = (error: unknown): unknown =>
  error instanceof ApiProblem && error.code === "invalid_token"
    ? new ApiProblem(error.status, error.code, error.message, { access_key: [error.message] })
    : error;

/** The page for those who are not signed in, at whatever address they asked for. */
export const SignInPage = () => {
  const [code, setCode] = useState(codeInAddress);
  const form = useForm({
    draft: null,
    initial: { access_key: "", name: "" },
    send: async ({ access_key: accessKey, name }) => {
      try {
        await signIn(code === "" ? { access_key: accessKey, name } : { code, name });
      } catch (error) {
        throw code === "" ? atField(error) : error;
      }
      if (path.value === signInPath) navigate(addressOf("/"), { isReplaced: true });
    },
  });
  useEffect(() => {
    document.title = "Sign in · Waypost";
  }, []);
  const takeAccessKey = (): void => {
    navigate(addressOf("/"), { isReplaced: true });
    setCode("");
    form.refusal.value = null;
  };
  return (
    <main class="sign-in" id="main">
      <p class="brand">Waypost</p>
      <h1 tabIndex={-1}>Sign in</h1>
      {endedMessage.value !== null && (
        <p class="notice" role="status">
          {endedMessage.value} What you typed is kept in this browser.
        </p>
      )}
      {!isSecureContext && (
        <p class="notice notice-problem" role="alert">
          This address is not encrypted. Open the console over https, or at localhost on the server itself.
        </p>
      )}
      <Form model={form} label="Sign in">
        {code === "" ? (
          <TextField
            {...form.field("access_key")}
            label="Access key"
            type="password"
            autoComplete="current-password"
            hint="The operator key, or a platform API token."
          />
        ) : (
          <p>
            This address signs you in as the operator. It works once.{" "}
            <Button variant="plain" onPress={takeAccessKey}>
              Sign in with an access key
            </Button>
          </p>
        )}
        <TextField
          {...form.field("name")}
          label="Your name"
          autoComplete="name"
          hint="Optional. It stands beside what you change in the activity log."
        />
        <Button type="submit" variant="primary" isBusy={form.isSending.value}>
          Sign in
        </Button>
      </Form>
    </main>
  );
};
