import { useTexts } from '../../texts/texts.js';
import classes from './people.module.css';
import type { Person } from './people-query.js';

export function PersonState({ person: { activated } }: { person: Person }) {
  const { people } = useTexts('people');
  if (activated === undefined || activated === null) return null;
  return (
    <span className={classes.state} data-active={activated || undefined}>
      {activated ? people.active : people.inactive}
    </span>
  );
}
