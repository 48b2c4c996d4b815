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
  const { audit: auditTexts } = useTexts('service').service;
  const changes = [event, ...equal].map((item) => ({ id: item.id, entries: Object.entries(item.changes) }));
  const facts = [
    [auditTexts.filters.actor, linkedId(event.actor, names)],
    [auditTexts.filters.resource, linkedId(event.resource, names)],
    [auditTexts.address, event.address],
    [auditTexts.request, event.request_id],
    [auditTexts.key, event.key_id],
  ].filter(([, value]) => value !== null);
  return (
    <li className={`${account.row} ${classes.event}`}>
      <div className={account.rowNote}>
        <When time={event.at} />
      </div>
      <div className={account.rowName}>
        {event.action} {equal.length > 0 && <span className={classes.state}>{auditTexts.times(equal.length + 1)}</span>}
      </div>
      <div>
        <AccountName name={event.actor} names={names} permissions={permissions} />
      </div>
      <div>
        <AccountName name={event.resource} names={names} permissions={permissions} />
      </div>
      <div>
        <span className={classes.state} data-bad={event.outcome !== 'success' || undefined}>
          {event.outcome === 'success' ? auditTexts.success : event.outcome}
        </span>
      </div>
      {(changes.some(({ entries }) => entries.length > 0) || facts.length > 0) && (
        <details className={classes.details}>
          <summary>{auditTexts.details}</summary>
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
function linkedId(name: ListedEvent['actor'], names: AccountNames): string | null {
  return names[personIn(name) ?? ''] === undefined ? null : name;
}

interface AccountNameProps {
  name: string;
  names: AccountNames;
  permissions: Permissions | null;
}

function AccountName({ name, names, permissions }: AccountNameProps) {
  const { audit: auditTexts } = useTexts('service').service;
  const id = personIn(name);
  const record = permissions && recordIn(name, permissions);
  if (record)
    return (
      <RouteLink to="/dash/records/$schema/$id" params={record}>
        {name}
      </RouteLink>
    );
  if (id === null) return <>{name}</>;
  const displayName = names[id];
  if (displayName === null) return <>{auditTexts.deleted}</>;
  return (
    <RouteLink to="/dash/people/$id" params={{ id }}>
      {displayName ?? name}
    </RouteLink>
  );
}
