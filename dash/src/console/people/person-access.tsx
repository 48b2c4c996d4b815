import { Button } from '@mantine/core';
import type { Permissions } from '../../api/openapi.js';
import account from '../../pages/account/account.module.css';
import { useTexts } from '../../texts/texts.js';
import { AskedButton } from '../frame/asked-button.js';
import { DeedSection } from '../frame/deed-section.js';
import { changePerson, PEOPLE } from './people-api.js';
import { isOpen, type Person } from './people-query.js';
import { PersonState } from './person-state.js';
import { useDeed } from '../frame/use-deed.js';

interface PersonAccessProps {
  person: Person;
  permissions: Permissions;
}

export function PersonAccess({ person, permissions }: PersonAccessProps) {
  const { people } = useTexts('people');
  const deed = useDeed(PEOPLE);
  const { id, activated, provider } = person;
  const mayChange = isOpen(permissions, 'user', 'update', 'activated');
  const mayInvite = isOpen(permissions, 'user', 'update', 'invite') && provider === 'local' && activated === false;
  if (activated === undefined) return null;
  const wording = {
    last_root_account: { text: people.lastAdministrator },
    field_invalid: { text: people.noInvitation },
  };
  return (
    <DeedSection title={people.access} deed={deed} wording={wording}>
      <div>
        <PersonState person={person} />
      </div>
      <div className={account.actions}>
        {mayInvite && (
          <>
            <Button
              variant="default"
              size="xs"
              onClick={() => deed.run(people.invitedAgain, () => changePerson(id, { invite: true }))}
            >
              {people.inviteAgain}
            </Button>
            <Button
              variant="default"
              size="xs"
              onClick={() => deed.run(people.takenBack, () => changePerson(id, { invite: false }))}
            >
              {people.takeBack}
            </Button>
          </>
        )}
        {mayChange && !activated && (
          <Button
            variant="default"
            size="xs"
            onClick={() => deed.run(people.letInNow, () => changePerson(id, { activated: true }))}
          >
            {people.letIn}
          </Button>
        )}
        {mayChange && activated && (
          <AskedButton
            text={people.shutOut}
            question={people.shutOutSure}
            yes={people.shutOutNow}
            onYes={() => deed.run(people.isShutOut, () => changePerson(id, { activated: false }))}
          />
        )}
      </div>
    </DeedSection>
  );
}
