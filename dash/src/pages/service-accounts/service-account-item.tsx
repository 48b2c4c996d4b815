import { Button } from '@mantine/core';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { ServiceAccount } from '../../api/openapi.js';
import { keysOfProgram } from '../../session/keys-api.js';
import { canLeave } from '../../session/shown-once.js';
import { When } from '../../ui/when.js';
import account from '../account/account.module.css';
import { KeyList } from '../account/keys/key-list.js';
import classes from '../account/keys/keys.module.css';
import { useTexts } from '../../texts/texts.js';
import { Question } from '../account/question.js';

interface ServiceAccountItemProps {
  program: ServiceAccount;
  onRemove: () => void;
}

/** A service account. Its keys are loaded on demand. */
export function ServiceAccountItem({ program, onRemove }: ServiceAccountItemProps) {
  const { programs } = useTexts('account');
  const { id, name, roles, activated } = program;
  const [shown, setShown] = useState<'keys' | 'question' | null>(null);
  const item = useRef<HTMLLIElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const remover = useRef<HTMLButtonElement>(null);
  const wasConfirming = useRef(false);
  const store = useMemo(() => keysOfProgram(id), [id]);
  useEffect(() => {
    if (wasConfirming.current && shown === null) remover.current?.focus();
    wasConfirming.current = shown === 'question';
  }, [shown]);
  /** Replaces a displayed new key only if the user agrees, because it is displayed only once. */
  async function show(next: typeof shown): Promise<void> {
    if (await canLeave(item.current)) setShown(next);
  }
  return (
    <li ref={item} className={`${account.row} ${classes.item}`}>
      <div className={account.rowText}>
        <div className={account.rowName}>{name}</div>
        <div className={account.rowNote}>
          {roles.length === 0 ? programs.noRoles : programs.rolesAre(roles.join(', '))}
          {!activated && ` · ${programs.deactivated}`}
        </div>
        <div className={account.rowNote}>{programs.createdOn(<When time={program.created_at} as="date" />)}</div>
      </div>
      {shown !== 'question' && (
        <div className={classes.buttons}>
          <Button
            ref={opener}
            variant="default"
            size="xs"
            aria-label={programs.keysOf(name)}
            aria-expanded={shown === 'keys'}
            onClick={() => void show(shown === 'keys' ? null : 'keys')}
          >
            {programs.keys}
          </Button>
          <Button
            ref={remover}
            variant="default"
            size="xs"
            aria-label={programs.removeOne(name)}
            onClick={() => void show('question')}
          >
            {programs.remove}
          </Button>
        </div>
      )}
      {shown === 'keys' && (
        <div className={classes.inner} role="group" aria-label={programs.keysOf(name)}>
          <KeyList store={store} heading={opener} />
        </div>
      )}
      {shown === 'question' && (
        <Question
          label={programs.removeOne(name)}
          text={programs.removeSure}
          confirmLabel={programs.removeNow}
          onConfirm={onRemove}
          onCancel={() => setShown(null)}
        />
      )}
    </li>
  );
}
