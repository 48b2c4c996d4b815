import { useEffect, useState } from 'react';
import { ApiError } from '../../../api/api-error.js';
import { SecretField } from '../../../forms/fields.js';
import { useTexts } from '../../../texts/texts.js';

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
  const { account, forms } = useTexts('account');
  return (
    <SecretField
      label={forms.currentPassword}
      name="current_password"
      autoComplete="current-password"
      description={account.data.proof}
      error={error}
      autoFocus
    />
  );
}
