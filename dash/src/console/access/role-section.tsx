import { Button } from '@mantine/core';
import { useState } from 'react';
import account from '../../pages/account/account.module.css';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import { AskedButton } from '../frame/asked-button.js';
import { DeedSection } from '../frame/deed-section.js';
import { useDeed } from '../frame/use-deed.js';
import { ACCESS } from './access-api.js';
import classes from './access.module.css';
import type { AccessRole } from './access-model.js';
import { RoleForm } from './role-form.js';
import { BUILT_IN, deleteRole } from './roles-api.js';

export function RoleSection({ roles }: { roles: readonly AccessRole[] }) {
  const { access } = useTexts('model');
  const words = access.roles;
  const deed = useDeed(ACCESS);
  /** Id of the role whose form is open; empty for a new role. */
  const [open, setOpen] = useState<string | null>(null);
  const [saved, setSaved] = useState<string | null>(null);
  function show(id: string): void {
    deed.forget();
    setSaved(null);
    setOpen(id);
  }
  function close(outcome: string | null): void {
    setOpen(null);
    setSaved(outcome);
    deed.heading.current?.focus();
  }
  function remove({ id, name }: AccessRole): void {
    setSaved(null);
    setOpen(null);
    deed.run(words.deleted(name), () => deleteRole(id));
  }
  return (
    <DeedSection title={words.title} lead={words.lead} deed={deed}>
      <div role="status">{saved !== null && <Notice tone="success">{saved}</Notice>}</div>
      <ul className={account.rows} aria-label={words.title}>
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
                    aria-label={words.changeOne(role.name)}
                    onClick={() => show(role.id)}
                  >
                    {words.change}
                  </Button>
                  {!BUILT_IN.includes(role.name) && (
                    <AskedButton
                      text={words.delete}
                      label={words.deleteOne(role.name)}
                      question={words.deleteSure}
                      yes={words.deleteNow}
                      onYes={() => remove(role)}
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
            {words.create}
          </Button>
        </div>
      )}
    </DeedSection>
  );
}
