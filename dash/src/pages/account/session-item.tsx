import { Button } from '@mantine/core';
import type { Session } from '../../api/openapi.js';
import { providerName } from '../../ui/provider-name.js';
import { When } from '../../ui/when.js';
import classes from './account.module.css';
import { deviceName } from './device-name.js';

interface SessionItemProps {
  session: Session;
  onEnd: () => void;
}

const BY: Readonly<Record<string, string>> = { local: 'a password', otp: 'a code' };

/** One session. */
export function SessionItem({ session, onEnd }: SessionItemProps) {
  const name = deviceName(session.device);
  return (
    <li className={classes.row}>
      <div className={classes.rowText}>
        <div className={classes.rowName} title={session.device ?? undefined}>
          {name}
        </div>
        <div className={classes.rowNote}>
          last used <When time={session.last_used_at} as="age" />
          {session.address && <> · {session.address}</>}
        </div>
        <div className={classes.rowNote}>
          signed in <When time={session.created_at} as="age" /> with{' '}
          {BY[session.provider] ?? providerName(session.provider)}
        </div>
      </div>
      {session.current ? (
        <span className={classes.here}>This session</span>
      ) : (
        <Button variant="default" size="xs" aria-label={`Sign out ${name}`} onClick={onEnd}>
          Sign out
        </Button>
      )}
    </li>
  );
}
