import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../texts/texts.js';
import { Choice } from '../frame/choice.js';
import classes from './access.module.css';
import type { AccessRole } from './access-model.js';

interface GrantTarget {
  readonly role: string;
  readonly schema: string;
}

interface CopyFormProps {
  roles: readonly AccessRole[];
  schemas: readonly string[];
  to: GrantTarget;
  onCopy: (from: GrantTarget, to: GrantTarget) => void;
}

export function CopyForm({ roles, schemas, to, onCopy }: CopyFormProps) {
  const { access } = useTexts('model');
  const [from, setFrom] = useState(to);
  return (
    <details className={classes.copy}>
      <summary>{access.copy.title}</summary>
      <div className={classes.line}>
        <Choice
          label={access.copy.role}
          options={roles.flatMap(({ id, name, root }) => (root ? [] : [[id, name] as const]))}
          value={from.role}
          onChange={(role) => setFrom({ ...from, role })}
        />
        <Choice
          label={access.copy.schema}
          options={schemas.map((name) => [name, name])}
          value={from.schema}
          onChange={(schema) => setFrom({ ...from, schema })}
        />
        <Button
          variant="default"
          disabled={from.role === to.role && from.schema === to.schema}
          onClick={() => onCopy(from, to)}
        >
          {access.copy.go}
        </Button>
      </div>
    </details>
  );
}
