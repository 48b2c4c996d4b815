import { useMethods } from '../../api/use-methods.js';
import { PasskeyButton } from '../../passkeys/passkey-button.js';
import { PasskeyForm } from '../../passkeys/passkey-form.js';
import { assertForSignIn, hasPasskeys, loginWithPasskey } from '../../passkeys/passkeys.js';
import { useFieldOffer } from '../../passkeys/use-field-offer.js';
import { useEnter } from '../../session/use-enter.js';
import { useTexts } from '../../texts/texts.js';

/** Sign-in with a passkey: with a button and, if the browser supports it, in the username input. */
export function PasskeyMethod() {
  const { signIn } = useTexts();
  const enter = useEnter();
  const isOffered = useOffered();
  const requestPasskey = useFieldOffer(isOffered, signInByPasskey, enter.done);
  async function signInByPasskey(signal?: AbortSignal): Promise<boolean> {
    const credential = await assertForSignIn(signal);
    return enter.send(() => loginWithPasskey(credential));
  }
  return isOffered ? (
    <PasskeyButton label={signIn.withPasskey} requestPasskey={requestPasskey} onDone={enter.done} />
  ) : null;
}

/** Same for an app. The browser itself submits the form. */
export function AppPasskeyMethod({ carrier }: { carrier: string }) {
  const { signIn } = useTexts();
  const action = '/api/auth/cli/login/passkey';
  return useOffered() ? (
    <PasskeyForm
      label={signIn.withPasskey}
      action={action}
      hidden={{ carrier }}
      requestPasskey={assertForSignIn}
      isInField
    />
  ) : null;
}

function useOffered(): boolean {
  const { data: methods } = useMethods();
  return methods?.local === true && hasPasskeys();
}
