import { useEffect, useState } from 'react';
import { ApiError } from '../../../api/api-error.js';
import { SecretField } from '../../../forms/fields.js';
import { KEYS_TEXTS } from './keys-texts.js';

/**
 * Whether the password must be asked for, from the first refusal that wants it on.
 *
 * @param cause what the last attempt of the form failed with.
 */
export function useProof(cause: unknown, hasPassword: boolean): boolean {
  const [isAsking, setAsking] = useState(false);
  const isWanted = hasPassword && cause instanceof ApiError && cause.code === 'step_up_required';
  useEffect(() => {
    if (isWanted) setAsking(true);
  }, [isWanted]);
  return isAsking;
}

/** The password of somebody who signed in a while ago. */
export function ProofField({ error }: { error: string | undefined }) {
  return (
    <SecretField
      label={KEYS_TEXTS.password}
      name="current_password"
      autoComplete="current-password"
      description={KEYS_TEXTS.passwordHint}
      error={error}
      autoFocus
    />
  );
}
