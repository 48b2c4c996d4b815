import { Button } from '@mantine/core';
import { useState } from 'react';
import account from '../../pages/account/account.module.css';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import { ConfirmButton } from '../frame/confirm-button.js';
import { ActionSection } from '../frame/action-section.js';
import { usePageAction } from '../frame/use-page-action.js';
import { ACCESS } from './access-api.js';
import classes from './access.module.css';
import type { AccessRole } from './access-model.js';
import { RoleForm } from './role-form.js';
import { BUILT_IN, deleteRole } from './roles-api.js';

export function RoleSection({ roles }: { roles: readonly AccessRole[] }) {
  const { access } = useTexts('model');
  const roleTexts = access.roles;
  const action = usePageAction(ACCESS);
  /** Id of the role whose form is open; empty for a new role. */
  const [open, setOpen] = useState<string | null>(null);
  const [saved, setSaved] = useState<string | null>(null);
  function show(id: string): void {
    action.reset();
    setSaved(null);
    setOpen(id);
  }
  function close(outcome: string | null): void {
    setOpen(null);
    setSaved(outcome);
    action.heading.current?.focus();
  }
  function remove({ id, name }: AccessRole): void {
    setSaved(null);
    setOpen(null);
    action.run(roleTexts.deleted(name), () => deleteRole(id));
  }
  return (
    <ActionSection title={roleTexts.title} lead={roleTexts.lead} action={action}>
      <div role="status">{saved !== null && <Notice tone="success">{saved}</Notice>}</div>
      <ul className={account.rows} aria-label={roleTexts.title}>
        {roles.map((role) => (
          <li key={role.id} className={account.row}>
            {open === role.id ? (
              <RoleForm role={role} onClose={close} />
            ) : (
              <>
                <div className={account.rowText}>
                  <div className={account.rowName}>{role.name}</div>
                  <div className={account.rowNote}>
                    {[role.root ? access.root : '', role.description ?? ''].filter(Boolean).join(' · ')}
                  </div>
                </div>
                <div className={classes.line}>
                  <Button
                    variant="default"
                    size="xs"
                    aria-label={roleTexts.changeOne(role.name)}
                    onClick={() => show(role.id)}
                  >
                    {roleTexts.change}
                  </Button>
                  {!BUILT_IN.includes(role.name) && (
                    <ConfirmButton
                      text={roleTexts.delete}
                      label={roleTexts.deleteOne(role.name)}
                      question={roleTexts.deleteSure}
                      confirmLabel={roleTexts.deleteNow}
                      onConfirm={() => remove(role)}
                    />
                  )}
                </div>
              </>
            )}
          </li>
        ))}
      </ul>
      {open === '' ? (
        <RoleForm role={null} onClose={close} />
      ) : (
        <div>
          <Button variant="default" size="sm" onClick={() => show('')}>
            {roleTexts.create}
          </Button>
        </div>
      )}
    </ActionSection>
  );
}
