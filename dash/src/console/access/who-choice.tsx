import { Input } from '@mantine/core';
import { useId } from 'react';
import { useTexts } from '../../texts/texts.js';
import { Choice } from '../frame/choice.js';
import type { AccessRole } from './access-model.js';

/** Principal of an access question: a guest, the users of a role, or a user by e-mail address. */
export interface Who {
  readonly kind: 'guest' | 'role' | 'person';
  /** Role name or e-mail address; empty for a guest. */
  readonly name: string;
}

interface WhoChoiceProps {
  roles: readonly AccessRole[];
  who: Who;
  onChange: (who: Who) => void;
}

export function WhoChoice({ roles, who, onChange }: WhoChoiceProps) {
  const { access } = useTexts('model');
  const address = useId();
  return (
    <>
      <Choice
        label={access.who.label}
        options={[
          ['guest', access.who.guest],
          ['person', access.who.person],
          ...roles.flatMap(({ name }) => (name === 'guest' ? [] : [[`role:${name}`, access.who.role(name)] as const])),
        ]}
        value={who.kind === 'role' ? `role:${who.name}` : who.kind}
        onChange={(value) =>
          onChange(
            value.startsWith('role:')
              ? { kind: 'role', name: value.slice('role:'.length) }
              : { kind: value === 'person' ? 'person' : 'guest', name: '' },
          )
        }
      />
      {who.kind === 'person' && (
        <Input.Wrapper label={access.who.address} id={address} required>
          <Input
            id={address}
            type="email"
            required
            value={who.name}
            onChange={({ currentTarget }) => onChange({ kind: 'person', name: currentTarget.value })}
            autoComplete="off"
            maxLength={254}
          />
        </Input.Wrapper>
      )}
    </>
  );
}
