import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Session } from '../../api/openapi.js';
import { endOtherSessions, endSession, listSessions } from '../../session/account-api.js';
import { explainAsText } from '../../api/explain.js';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { TryAgain } from '../../ui/try-again.js';
import classes from './account.module.css';
import { Remembered } from './remembered.js';
import { Section } from './section.js';
import { SessionItem } from './session-item.js';
import { useTexts } from '../../texts/texts.js';

export const SESSIONS = ['account', 'sessions'];

export function Sessions() {
  const { sessions: texts } = useTexts('account').account;
  const heading = useRef<HTMLHeadingElement>(null);
  const queries = useQueryClient();
  const { data: sessions, error, refetch } = useQuery({ queryKey: SESSIONS, queryFn: listSessions });
  const end = useMutation({
    mutationFn: (id: string | null) => (id === null ? endOtherSessions() : endSession(id)),
    onSuccess: () => heading.current?.focus(),
    onSettled: () => queries.invalidateQueries({ queryKey: SESSIONS }),
  });
  const others = sessions?.some(({ current }) => !current) ?? false;
  return (
    <Section title={texts.title} lead={texts.lead} headingRef={heading}>
      {end.isSuccess && <Notice tone="success">{texts.ended}</Notice>}
      {end.error && <Notice tone="problem">{explainAsText(end.error)}</Notice>}
      {error ? <TryAgain error={error} onRetry={() => void refetch()} /> : !sessions && <Loading />}
      {sessions && (
        <ul className={classes.rows}>
          {thisFirst(sessions).map((session) => (
            <SessionItem key={session.id} session={session} onEnd={() => end.isPending || end.mutate(session.id)} />
          ))}
        </ul>
      )}
      {others && (
        <div>
          <Button variant="default" size="sm" onClick={() => end.isPending || end.mutate(null)}>
            {texts.endOthers}
          </Button>
        </div>
      )}
      <Remembered />
    </Section>
  );
}

function thisFirst(sessions: readonly Session[]): Session[] {
  return [...sessions.filter(({ current }) => current), ...sessions.filter(({ current }) => !current)];
}
