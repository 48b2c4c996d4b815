import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Permissions } from '../../api/openapi.js';
import account from '../../pages/account/account.module.css';
import { deviceName } from '../../pages/account/device-name.js';
import { useTexts } from '../../texts/texts.js';
import { providerName } from '../../ui/provider-name.js';
import { When } from '../../ui/when.js';
import { ConfirmButton } from '../frame/confirm-button.js';
import { ActionSection } from '../frame/action-section.js';
import { revokeSessionOf, revokeSessionsOf, listSessionsOf, PEOPLE, type SessionRecord } from './people-api.js';
import { usePageAction } from '../frame/use-page-action.js';

interface PersonSessionsProps {
  id: string;
  permissions: Permissions;
  canRevoke: boolean;
}

export function PersonSessions({ id, permissions, canRevoke }: PersonSessionsProps) {
  const { people } = useTexts('people');
  const queryKey = [...PEOPLE, 'sessions', id];
  const action = usePageAction(queryKey);
  const read = useQuery({ queryKey, queryFn: () => listSessionsOf(permissions, id) });
  const sessions = read.data;
  return (
    <ActionSection
      title={people.sessions}
      action={action}
      read={read}
      messages={{ record_not_found: { text: people.ended } }}
    >
      {sessions?.length === 0 && <div className={account.rowNote}>{people.noSessions}</div>}
      {sessions && sessions.length > 0 && (
        <ul className={account.rows}>
          {sessions.map((session) => (
            <SessionRow
              key={session.id}
              session={session}
              {...(canRevoke && { onEnd: () => action.run(people.sessionEnded, () => revokeSessionOf(session.id)) })}
            />
          ))}
        </ul>
      )}
      {canRevoke && sessions && sessions.length > 1 && (
        <div>
          <ConfirmButton
            text={people.endAll}
            question={people.endAllSure}
            confirmLabel={people.endAllNow}
            onConfirm={() => action.run(people.allEnded, () => revokeSessionsOf(id))}
          />
        </div>
      )}
    </ActionSection>
  );
}

function SessionRow({ session, onEnd }: { session: SessionRecord; onEnd?: () => void }) {
  const { sessions } = useTexts('account').account;
  const { created_at: created, provider, device = null } = session;
  const name = deviceName(device);
  const by: Readonly<Record<string, string>> = { local: sessions.byPassword, otp: sessions.byCode };
  return (
    <li className={account.row}>
      <div className={account.rowText}>
        <div className={account.rowName} title={device ?? undefined}>
          {name}
        </div>
        <div className={account.rowNote}>
          {session.last_used_at && sessions.lastUsed(<When time={session.last_used_at} as="age" />)}
          {session.address && ` · ${session.address}`}
        </div>
        {created && provider && (
          <div className={account.rowNote}>
            {sessions.signedIn(<When time={created} as="age" />, by[provider] ?? providerName(provider))}
          </div>
        )}
      </div>
      {onEnd && (
        <Button variant="default" size="xs" aria-label={sessions.endOne(name)} onClick={onEnd}>
          {sessions.end}
        </Button>
      )}
    </li>
  );
}
