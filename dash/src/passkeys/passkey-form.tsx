import { useRef } from 'react';
import { addressOf } from '../api/base-path.js';
import { inPageLanguage } from '../texts/page-language.js';
import { PasskeyButton } from './passkey-button.js';
import { useFieldOffer } from './use-field-offer.js';

interface PasskeyFormProps {
  label: string;
  action: string;
  hidden: Record<string, string>;
  /** Asks the browser. @param signal cancels the request; with it, the browser offers passkeys in the username input. */
  requestPasskey: (signal?: AbortSignal) => Promise<object>;
  /** Whether the button is the main action, which has the focus. */
  isMain?: boolean;
  /** Whether the browser also offers passkeys in the username input. */
  isInField?: boolean;
}

/** Button that asks for a passkey, and a native form that submits it. */
export function PasskeyForm({ label, action, hidden, requestPasskey, isMain, isInField = false }: PasskeyFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const answer = useRef<HTMLInputElement>(null);
  function submitCredential(credential: object): void {
    if (!form.current || !answer.current) return;
    answer.current.value = JSON.stringify(credential);
    form.current.submit();
  }
  const requestOnClick = useFieldOffer(isInField, requestPasskey, submitCredential);
  return (
    <form ref={form} method="post" action={inPageLanguage(addressOf(action))} aria-label={label}>
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <input ref={answer} type="hidden" name="credential" />
      <PasskeyButton label={label} isMain={isMain} requestPasskey={requestOnClick} onDone={submitCredential} />
    </form>
  );
}
