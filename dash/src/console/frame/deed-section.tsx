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
  /** Query of the section's data. */
  read?: { readonly data: unknown; readonly error: Error | null; readonly refetch: () => unknown };
  /** Texts that replace the default message of an error. */
  wording?: Wording;
  children: ReactNode;
}

/** Section of a page with an action. Shows the outcome of the action, and loading errors. */
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
