import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { getViewing, onViewing, setViewing } from '../../session/viewing.js';
import { useTexts } from '../../texts/texts.js';
import classes from './viewing-bar.module.css';

export function ViewingBar() {
  const { areas } = useTexts('model');
  const queries = useQueryClient();
  const viewing = useSyncExternalStore(onViewing, getViewing);
  // Signing out ends the view as another user.
  useEffect(() => () => setViewing(null), []);
  // Discards data that was read as the other user.
  const as = viewing?.as;
  useEffect(() => {
    if (as !== undefined) return () => void queries.resetQueries();
    return undefined;
  }, [as, queries]);
  return (
    <div role="status">
      {viewing && (
        <div className={classes.bar}>
          <span className={classes.text}>{areas.viewing(viewing.name)}</span>
          <Button size="compact-sm" variant="default" onClick={() => setViewing(null)}>
            {areas.leaveViewing}
          </Button>
        </div>
      )}
    </div>
  );
}
