import { Button, Input } from '@mantine/core';
import { useId, useState } from 'react';
import { useTexts } from '../../texts/texts.js';
import classes from './access.module.css';
import type { AccessRole } from './access-model.js';

interface Place {
  readonly role: string;
  readonly schema: string;
}

interface CopyFormProps {
  roles: readonly AccessRole[];
  schemas: readonly string[];
  to: Place;
  onCopy: (from: Place, to: Place) => void;
}

/** Takes over what another role may do, or this one with another schema. */
export function CopyForm({ roles, schemas, to, onCopy }: CopyFormProps) {
  const { access } = useTexts('model');
  const [from, setFrom] = useState(to);
  const [role, schema] = [useId(), useId()];
  return (
    <details className={classes.copy}>
      <summary>{access.copy.title}</summary>
      <div className={classes.line}>
        <Input.Wrapper label={access.copy.role} id={role}>
          <Input
            component="select"
            id={role}
            value={from.role}
            onChange={({ currentTarget }) => setFrom({ ...from, role: currentTarget.value })}
          >
            {roles
              .filter((one) => !one.root)
              .map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
          </Input>
        </Input.Wrapper>
        <Input.Wrapper label={access.copy.schema} id={schema}>
          <Input
            component="select"
            id={schema}
            value={from.schema}
            onChange={({ currentTarget }) => setFrom({ ...from, schema: currentTarget.value })}
          >
            {schemas.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </Input>
        </Input.Wrapper>
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
