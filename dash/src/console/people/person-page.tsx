import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Permissions } from '../../api/openapi.js';
import { getPermissions, PERMISSIONS } from '../../session/keys-api.js';
import { useTexts } from '../../texts/texts.js';
import { Loading } from '../../ui/loading.js';
import { RouteButton } from '../../ui/route-link.js';
import { TryAgain } from '../../ui/try-again.js';
import { ConsolePage } from '../frame/console-page.js';
import classes from './people.module.css';
import { getPerson, PEOPLE } from './people-api.js';
import { isOpen, nameOfPerson, type Person, canSeeSessions } from './people-query.js';
import { PersonAccess } from './person-access.js';
import { PersonFactors } from './person-factors.js';
import { PersonFacts } from './person-facts.js';
import { PersonIdentities } from './person-identities.js';
import { PersonKeys } from './person-keys.js';
import { PersonRoles } from './person-roles.js';
import { PersonSessions } from './person-sessions.js';

const route = getRouteApi('/dash/people/$id');

export function PersonPage() {
  const { people } = useTexts('people');
  const { id } = route.useParams();
  const granted = useQuery({ queryKey: PERMISSIONS, queryFn: getPermissions });
  const permissions = granted.data;
  const read = useQuery({
    queryKey: [...PEOPLE, 'one', id],
    queryFn: () => getPerson(permissions as Permissions, id),
    enabled: permissions !== undefined,
  });
  const person = read.data;
  const isRead = permissions?.root === true || permissions?.resources.includes('audit.list') === true;
  const error = granted.error ?? read.error;
  return (
    <ConsolePage
      title={person ? nameOfPerson(person) : people.one}
      trail={{ to: '/dash/people', text: people.title }}
      actions={
        person && (
          <>
            {isRead && (
              <RouteButton
                size="sm"
                variant="default"
                to="/dash/service"
                search={{ part: 'audit', actor: `account:${id}` }}
              >
                {people.audit}
              </RouteButton>
            )}
            {permissions && isOpen(permissions, 'user', 'get', 'id') && (
              <RouteButton size="sm" variant="default" to="/dash/records/$schema/$id" params={{ schema: 'user', id }}>
                {people.record}
              </RouteButton>
            )}
          </>
        )
      }
    >
      {error ? (
        <TryAgain error={error} onRetry={() => void (granted.error ? granted : read).refetch()} />
      ) : (
        !person && <Loading />
      )}
      {person && permissions && <Parts key={id} person={person} permissions={permissions} />}
    </ConsolePage>
  );
}

function Parts({ person, permissions }: { person: Person; permissions: Permissions }) {
  const { root, resources } = permissions;
  const can = (resource: string): boolean => root || resources.includes(resource);
  return (
    <div className={classes.sides}>
      <div className={classes.side}>
        <PersonFacts person={person} />
        <PersonAccess person={person} permissions={permissions} />
        {person.roles && <PersonRoles person={person} permissions={permissions} />}
      </div>
      <div className={classes.side}>
        {canSeeSessions(permissions) && (
          <PersonSessions
            id={person.id}
            permissions={permissions}
            canRevoke={isOpen(permissions, 'session', 'delete')}
          />
        )}
        {(can('mfa.list') || can('mfa.reset')) && (
          <PersonFactors id={person.id} canList={can('mfa.list')} canReset={can('mfa.reset')} />
        )}
        {can('identities.list') && <PersonIdentities id={person.id} />}
        {can('keys.list') && <PersonKeys id={person.id} canRevoke={can('keys.delete')} />}
      </div>
    </div>
  );
}
