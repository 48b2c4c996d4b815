import { Button } from '@mantine/core';
import type { Session } from '../../api/openapi.js';
import { providerName } from '../../ui/provider-name.js';
import { When } from '../../ui/when.js';
import classes from './account.module.css';
import { deviceName } from './device-name.js';
import { describeLocation } from './describe-location.js';
import { useTexts } from '../../texts/texts.js';

interface SessionItemProps {
  session: Session;
  onEnd: () => void;
}

export function SessionItem({ session, onEnd }: SessionItemProps) {
  const { sessions } = useTexts('account').account;
  const name = deviceName(session.device);
  const by: Readonly<Record<string, string>> = { local: sessions.byPassword, otp: sessions.byCode };
  return (
    <li className={classes.row}>
      <div className={classes.rowText}>
        <div className={classes.rowName} title={session.device ?? undefined}>
          {name}
        </div>
        <div className={classes.rowNote}>
          {sessions.lastUsed(<When time={session.last_used_at} as="age" />)}
          {[describeLocation(session), session.address].map((text) => text && ` · ${text}`)}
        </div>
        <div className={classes.rowNote}>
          {sessions.signedIn(
            <When time={session.created_at} as="age" />,
            by[session.provider] ?? providerName(session.provider),
          )}
        </div>
      </div>
      {session.current ? (
        <span className={classes.here}>{sessions.current}</span>
      ) : (
        <Button variant="default" size="xs" aria-label={sessions.endOne(name)} onClick={onEnd}>
          {sessions.end}
        </Button>
      )}
    </li>
  );
}
