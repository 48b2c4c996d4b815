import { Button } from '@mantine/core';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { ServiceAccount } from '../../api/openapi.js';
import { keysOfProgram } from '../../session/keys-api.js';
import { When } from '../../ui/when.js';
import account from '../account/account.module.css';
import { KeyList } from '../account/keys/key-list.js';
import classes from '../account/keys/keys.module.css';
import { PROGRAMS_TEXTS } from '../account/keys/keys-texts.js';
import { Question } from '../account/keys/question.js';

interface ServiceAccountItemProps {
  program: ServiceAccount;
  hasPassword: boolean;
  onRemove: () => void;
}

/** One account of a program, with its keys where they are asked for. */
export function ServiceAccountItem({ program, hasPassword, onRemove }: ServiceAccountItemProps) {
  const { id, name, roles, activated } = program;
  const [shown, setShown] = useState<'keys' | 'question' | null>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const remover = useRef<HTMLButtonElement>(null);
  const wasAsked = useRef(false);
  const store = useMemo(() => keysOfProgram(id), [id]);
  useEffect(() => {
    if (wasAsked.current && shown === null) remover.current?.focus();
    wasAsked.current = shown === 'question';
  }, [shown]);
  return (
    <li className={`${account.row} ${classes.item}`}>
      <div className={account.rowText}>
        <div className={account.rowName}>{name}</div>
        <div className={account.rowNote}>
          {PROGRAMS_TEXTS.rolesAre(roles)}
          {!activated && ` · ${PROGRAMS_TEXTS.shut}`}
        </div>
        <div className={account.rowNote}>
          {PROGRAMS_TEXTS.madeOn}
          <When time={program.created_at} as="date" />
        </div>
      </div>
      {shown !== 'question' && (
        <div className={classes.buttons}>
          <Button
            ref={opener}
            variant="default"
            size="xs"
            aria-label={PROGRAMS_TEXTS.keysOf(name)}
            aria-expanded={shown === 'keys'}
            onClick={() => setShown(shown === 'keys' ? null : 'keys')}
          >
            {PROGRAMS_TEXTS.keys}
          </Button>
          <Button
            ref={remover}
            variant="default"
            size="xs"
            aria-label={PROGRAMS_TEXTS.removeOne(name)}
            onClick={() => setShown('question')}
          >
            {PROGRAMS_TEXTS.remove}
          </Button>
        </div>
      )}
      {shown === 'keys' && (
        <div className={classes.inner} role="group" aria-label={PROGRAMS_TEXTS.keysOf(name)}>
          <KeyList store={store} hasPassword={hasPassword} heading={opener} />
        </div>
      )}
      {shown === 'question' && (
        <Question
          label={PROGRAMS_TEXTS.removeOne(name)}
          text={PROGRAMS_TEXTS.removeSure}
          yes={PROGRAMS_TEXTS.removeNow}
          onYes={onRemove}
          onNo={() => setShown(null)}
        />
      )}
    </li>
  );
}
