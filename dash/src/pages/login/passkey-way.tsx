import { useEffect, useRef } from 'react';
import { useMethods } from '../../api/use-methods.js';
import { hasPasskeys, isGivenUp, loginWithPasskey, offersInField } from '../../session/passkeys.js';
import { useEnter } from '../../session/use-enter.js';
import { useTexts } from '../../texts/texts.js';
import { PasskeyButton } from '../factors/passkey-button.js';

/** Sign-in by a passkey: by a button, and in the field of the name where the browser offers them there. */
export function PasskeyWay() {
  const { signIn } = useTexts();
  const { data: methods } = useMethods();
  const enter = useEnter();
  const asking = useRef<AbortController | null>(null);
  const isOffered = methods?.local === true && hasPasskeys();
  useEffect(() => {
    if (!isOffered) return;
    const controller = new AbortController();
    asking.current = controller;
    const offer = async (): Promise<void> => {
      if (!(await offersInField()) || controller.signal.aborted) return;
      enter.done(await enter.send(() => loginWithPasskey(controller.signal)));
    };
    // What is wrong with it is said where it is asked for by the button.
    void offer().catch((error: unknown) => isGivenUp(error));
    return () => controller.abort();
    // The question is asked once, for as long as the page is there.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isOffered]);
  if (!isOffered) return null;
  function ask(): Promise<boolean> {
    // A browser asks one question at a time.
    asking.current?.abort();
    return enter.send(() => loginWithPasskey());
  }
  return <PasskeyButton label={signIn.withPasskey} ask={ask} onDone={enter.done} />;
}
