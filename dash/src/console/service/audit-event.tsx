import type { ListedEvent } from '../../api/openapi.js';
import account from '../../pages/account/account.module.css';
import { useTexts } from '../../texts/texts.js';
import { RouteLink } from '../../ui/route-link.js';
import { When } from '../../ui/when.js';
import { changeText, personIn } from './audit-query.js';
import classes from './service.module.css';

/** Shows one thing that was done, with what it changed where that is asked for. */
export function AuditEvent({ event }: { event: ListedEvent }) {
  const { audit: words } = useTexts('service').service;
  const changes = Object.entries(event.changes);
  const facts = [
    [words.address, event.address],
    [words.request, event.request_id],
    [words.key, event.key_id],
  ].filter(([, value]) => value !== null);
  return (
    <li className={`${account.row} ${classes.event}`}>
      <div className={account.rowNote}>
        <When time={event.at} />
      </div>
      <div className={account.rowName}>{event.action}</div>
      <div>
        <Named name={event.actor} />
      </div>
      <div>
        <Named name={event.resource} />
      </div>
      <div>
        <span className={classes.state} data-bad={event.outcome !== 'success' || undefined}>
          {event.outcome === 'success' ? words.success : event.outcome}
        </span>
      </div>
      {(changes.length > 0 || facts.length > 0) && (
        <details className={classes.details}>
          <summary>{words.details}</summary>
          <ul>
            {changes.map(([field, change]) => (
              <li key={field}>
                <code>{changeText(field, change)}</code>
              </li>
            ))}
            {facts.map(([name, value]) => (
              <li key={name}>
                {name} <code>{value}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

/** Shows a name; people lead to their accounts. */
function Named({ name }: { name: string }) {
  const id = personIn(name);
  if (id === null) return <>{name}</>;
  return (
    <RouteLink to="/dash/people/$id" params={{ id }}>
      {name}
    </RouteLink>
  );
}
