import type { ReactNode } from 'react';
import { explainAsText, type ErrorMessages } from '../../api/explain.js';
import { Section } from '../../pages/account/section.js';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { TryAgain } from '../../ui/try-again.js';
import type { PageAction } from './use-page-action.js';

interface ActionSectionProps {
  title: string;
  lead?: string;
  action: PageAction;
  read?: { readonly data: unknown; readonly error: Error | null; readonly refetch: () => unknown };
  messages?: ErrorMessages;
  children: ReactNode;
}

export function ActionSection({ title, lead, action, read, messages, children }: ActionSectionProps) {
  return (
    <Section title={title} lead={lead} headingRef={action.heading}>
      {action.outcome !== null && <Notice tone="success">{action.outcome}</Notice>}
      {action.problem && <Notice tone="problem">{explainAsText(action.problem, messages)}</Notice>}
      {read?.error ? (
        <TryAgain error={read.error} onRetry={() => void read.refetch()} />
      ) : (
        read?.data === undefined && read !== undefined && <Loading />
      )}
      {children}
    </Section>
  );
}
