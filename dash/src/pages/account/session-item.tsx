import { Button } from '@mantine/core';
import type { Session } from '../../api/openapi.js';
import { When } from '../../ui/when.js';
import classes from './account.module.css';
import { deviceName } from './device-name.js';

interface SessionItemProps {
  session: Session;
  onEnd: () => void;
}

/** One session. */
export function SessionItem({ session, onEnd }: SessionItemProps) {
  const name = deviceName(session.device);
  return (
    <li className={classes.row}>
      <div className={classes.rowText}>
        <div className={classes.rowName}>{name}</div>
        <div className={classes.rowNote}>
          {session.address && <>{session.address} · </>}
          signed in <When time={session.created_at} />
          {session.last_used_at && (
            <>
              , last used <When time={session.last_used_at} />
            </>
          )}
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
