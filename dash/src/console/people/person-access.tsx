import { Button } from '@mantine/core';
import type { Permissions } from '../../api/openapi.js';
import account from '../../pages/account/account.module.css';
import { useTexts } from '../../texts/texts.js';
import { ConfirmButton } from '../frame/confirm-button.js';
import { ActionSection } from '../frame/action-section.js';
import { changePerson, PEOPLE } from './people-api.js';
import { isOpen, type Person } from './people-query.js';
import { PersonState } from './person-state.js';
import { usePageAction } from '../frame/use-page-action.js';

interface PersonAccessProps {
  person: Person;
  permissions: Permissions;
}

export function PersonAccess({ person, permissions }: PersonAccessProps) {
  const { people } = useTexts('people');
  const action = usePageAction(PEOPLE);
  const { id, activated, provider } = person;
  const canChange = isOpen(permissions, 'user', 'update', 'activated');
  const canInvite = isOpen(permissions, 'user', 'update', 'invite') && provider === 'local' && activated === false;
  if (activated === undefined) return null;
  const messages = {
    last_root_account: { text: people.lastAdministrator },
    field_invalid: { text: people.noInvitation },
  };
  return (
    <ActionSection title={people.access} action={action} messages={messages}>
      <div>
        <PersonState person={person} />
      </div>
      <div className={account.actions}>
        {canInvite && (
          <>
            <Button
              variant="default"
              size="xs"
              onClick={() => action.run(people.invitedAgain, () => changePerson(id, { invite: true }))}
            >
              {people.inviteAgain}
            </Button>
            <Button
              variant="default"
              size="xs"
              onClick={() => action.run(people.withdrawn, () => changePerson(id, { invite: false }))}
            >
              {people.withdraw}
            </Button>
          </>
        )}
        {canChange && !activated && (
          <Button
            variant="default"
            size="xs"
            onClick={() => action.run(people.activated, () => changePerson(id, { activated: true }))}
          >
            {people.activate}
          </Button>
        )}
        {canChange && activated && (
          <ConfirmButton
            text={people.deactivate}
            question={people.deactivateConfirm}
            confirmLabel={people.deactivateNow}
            onConfirm={() => action.run(people.deactivated, () => changePerson(id, { activated: false }))}
          />
        )}
      </div>
    </ActionSection>
  );
}
