import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Permissions } from '../../api/openapi.js';
import account from '../../pages/account/account.module.css';
import { useTexts } from '../../texts/texts.js';
import { ActionSection } from '../frame/action-section.js';
import { changePerson } from './people-api.js';
import { isOpen, type Person } from './people-query.js';
import { RoleChoices } from '../../forms/role-choices.js';
import { usePageAction } from '../frame/use-page-action.js';

interface PersonRolesProps {
  person: Person;
  permissions: Permissions;
}

export function PersonRoles({ person: { id, roles }, permissions }: PersonRolesProps) {
  const { people, forms } = useTexts('people');
  // The change may affect the permissions of the current user, which all pages use.
  const action = usePageAction(['account']);
  const current = (roles ?? []).map((role) => role.id);
  const [edited, setEdited] = useState<readonly string[] | null>(null);
  const chosen = edited ?? current;
  const isChanged = [...chosen].sort().join() !== [...current].sort().join();
  const names = roles?.map(({ name }) => name).join(', ');
  function choose(next: readonly string[]): void {
    action.reset();
    setEdited(next);
  }
  async function save(): Promise<void> {
    await changePerson(id, { roles: chosen.map((role) => ({ id: role })) });
  }
  return (
    <ActionSection
      title={people.roles}
      action={action}
      messages={{ last_root_account: { text: people.lastAdministrator } }}
    >
      {!isOpen(permissions, 'user', 'update', 'roles') ? (
        <div className={account.rowNote}>{names || people.noRoles}</div>
      ) : (
        <>
          <RoleChoices by="id" legend={people.rolesLead} chosen={chosen} onChoose={choose} />
          {isChanged && (
            <div className={account.actions}>
              <Button size="sm" loading={action.isBusy} onClick={() => action.run(people.rolesSaved, save)}>
                {people.saveRoles}
              </Button>
              <Button size="sm" variant="default" onClick={() => setEdited(null)}>
                {forms.cancel}
              </Button>
            </div>
          )}
        </>
      )}
    </ActionSection>
  );
}
