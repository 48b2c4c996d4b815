import type { ComponentProps } from 'react';
import type { AppPasskeyMethod } from './passkey-method.js';
import { loadedPasskeyMethods } from './with-passkeys.js';

export function PasskeyStep() {
  const Method = loadedPasskeyMethods()?.PasskeyMethod;
  return Method ? <Method /> : null;
}

export function AppPasskeyStep(props: ComponentProps<typeof AppPasskeyMethod>) {
  const Method = loadedPasskeyMethods()?.AppPasskeyMethod;
  return Method ? <Method {...props} /> : null;
}
