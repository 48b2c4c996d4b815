import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Permissions } from '../../api/openapi.js';
import account from '../../pages/account/account.module.css';
import { useTexts } from '../../texts/texts.js';
import { DeedSection } from '../frame/deed-section.js';
import { changePerson } from './people-api.js';
import { isOpen, type Person } from './people-query.js';
import { RoleChoices } from '../../forms/role-choices.js';
import { useDeed } from '../frame/use-deed.js';

interface PersonRolesProps {
  person: Person;
  permissions: Permissions;
}

export function PersonRoles({ person: { id, roles }, permissions }: PersonRolesProps) {
  const { people, forms } = useTexts('people');
  // The change may affect the permissions of the current user, which all pages use.
  const deed = useDeed(['account']);
  const given = (roles ?? []).map((role) => role.id);
  const [wanted, setWanted] = useState<readonly string[] | null>(null);
  const chosen = wanted ?? given;
  const isChanged = [...chosen].sort().join() !== [...given].sort().join();
  const names = roles?.map(({ name }) => name).join(', ');
  function choose(next: readonly string[]): void {
    deed.forget();
    setWanted(next);
  }
  async function save(): Promise<void> {
    await changePerson(id, { roles: chosen.map((role) => ({ id: role })) });
  }
  return (
    <DeedSection title={people.roles} deed={deed} wording={{ last_root_account: { text: people.lastAdministrator } }}>
      {!isOpen(permissions, 'user', 'update', 'roles') ? (
        <div className={account.rowNote}>{names || people.noRoles}</div>
      ) : (
        <>
          <RoleChoices by="id" legend={people.rolesLead} chosen={chosen} onChoose={choose} />
          {isChanged && (
            <div className={account.actions}>
              <Button size="sm" loading={deed.isBusy} onClick={() => deed.run(people.rolesSaved, save)}>
                {people.saveRoles}
              </Button>
              <Button size="sm" variant="default" onClick={() => setWanted(null)}>
                {forms.cancel}
              </Button>
            </div>
          )}
        </>
      )}
    </DeedSection>
  );
}
