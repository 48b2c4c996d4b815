import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { OWN_FACTORS } from '../../../session/factors-api.js';
import { requestProof } from '../../../session/fresh-proof.js';
import { useTexts } from '../../../texts/texts.js';
import { Notice } from '../../../ui/notice.js';

export function FactorFirst() {
  const { errors, factors } = useTexts('account');
  const queries = useQueryClient();
  const { data: own } = useQuery(OWN_FACTORS);
  async function prove(): Promise<void> {
    if (await requestProof()) await queries.invalidateQueries({ queryKey: ['account'] });
  }
  return (
    <>
      <Notice tone="plain">{errors.mfa_enrollment_required}</Notice>
      {own && own.factors.length > 0 && (
        <div>
          <Button size="sm" onClick={() => void prove()}>
            {factors.instead.totp}
          </Button>
        </div>
      )}
    </>
  );
}
