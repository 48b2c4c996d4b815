import type { ListedEvent, Permissions } from '../../api/openapi.js';
import account from '../../pages/account/account.module.css';
import { useTexts } from '../../texts/texts.js';
import { RouteLink } from '../../ui/route-link.js';
import { When } from '../../ui/when.js';
import type { AccountNames } from './account-names.js';
import { changeText, personIn, recordIn, type ShownEvent } from './audit-query.js';
import classes from './service.module.css';

interface AuditEventProps {
  shown: ShownEvent;
  names: AccountNames;
  /** Null until they are loaded. */
  permissions: Permissions | null;
}

export function AuditEvent({ shown: { event, equal }, names, permissions }: AuditEventProps) {
  const { audit: words } = useTexts('service').service;
  const changes = [event, ...equal].map((one) => ({ id: one.id, entries: Object.entries(one.changes) }));
  const facts = [
    [words.filters.actor, idShown(event.actor, names)],
    [words.filters.resource, idShown(event.resource, names)],
    [words.address, event.address],
    [words.request, event.request_id],
    [words.key, event.key_id],
  ].filter(([, value]) => value !== null);
  return (
    <li className={`${account.row} ${classes.event}`}>
      <div className={account.rowNote}>
        <When time={event.at} />
      </div>
      <div className={account.rowName}>
        {event.action} {equal.length > 0 && <span className={classes.state}>{words.times(equal.length + 1)}</span>}
      </div>
      <div>
        <Named name={event.actor} names={names} permissions={permissions} />
      </div>
      <div>
        <Named name={event.resource} names={names} permissions={permissions} />
      </div>
      <div>
        <span className={classes.state} data-bad={event.outcome !== 'success' || undefined}>
          {event.outcome === 'success' ? words.success : event.outcome}
        </span>
      </div>
      {(changes.some(({ entries }) => entries.length > 0) || facts.length > 0) && (
        <details className={classes.details}>
          <summary>{words.details}</summary>
          <ul>
            {changes.flatMap(({ id, entries }) =>
              entries.map(([field, change]) => (
                <li key={`${id} ${field}`}>
                  <code>{changeText(field, change)}</code>
                </li>
              )),
            )}
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

/** Returns the identifier of an account if a display name replaces it; otherwise null. */
function idShown(name: ListedEvent['actor'], names: AccountNames): string | null {
  return names[personIn(name) ?? ''] === undefined ? null : name;
}

interface NamedProps {
  name: string;
  names: AccountNames;
  permissions: Permissions | null;
}

function Named({ name, names, permissions }: NamedProps) {
  const { audit: words } = useTexts('service').service;
  const id = personIn(name);
  const record = permissions && recordIn(name, permissions);
  if (record)
    return (
      <RouteLink to="/dash/records/$schema/$id" params={record}>
        {name}
      </RouteLink>
    );
  if (id === null) return <>{name}</>;
  const known = names[id];
  if (known === null) return <>{words.deleted}</>;
  return (
    <RouteLink to="/dash/people/$id" params={{ id }}>
      {known ?? name}
    </RouteLink>
  );
}
