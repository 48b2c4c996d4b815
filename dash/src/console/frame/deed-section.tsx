import type { ReactNode } from 'react';
import { explainInWords, type Wording } from '../../api/explain.js';
import { Section } from '../../pages/account/section.js';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { TryAgain } from '../../ui/try-again.js';
import type { Deed } from './use-deed.js';

interface DeedSectionProps {
  title: string;
  lead?: string;
  deed: Deed;
  read?: { readonly data: unknown; readonly error: Error | null; readonly refetch: () => unknown };
  wording?: Wording;
  children: ReactNode;
}

export function DeedSection({ title, lead, deed, read, wording, children }: DeedSectionProps) {
  return (
    <Section title={title} lead={lead} headingRef={deed.heading}>
      {deed.outcome !== null && <Notice tone="success">{deed.outcome}</Notice>}
      {deed.problem && <Notice tone="problem">{explainInWords(deed.problem, wording)}</Notice>}
      {read?.error ? (
        <TryAgain error={read.error} onRetry={() => void read.refetch()} />
      ) : (
        read?.data === undefined && read !== undefined && <Loading />
      )}
      {children}
    </Section>
  );
}
