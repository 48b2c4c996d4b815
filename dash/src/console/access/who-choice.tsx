import { Input } from '@mantine/core';
import { useId } from 'react';
import { useTexts } from '../../texts/texts.js';
import type { AccessRole } from './access-model.js';

/** Somebody to ask about: a guest, whoever has a role, or a person by their address. */
export interface Who {
  readonly kind: 'guest' | 'role' | 'person';
  /** The name of the role, or the address. */
  readonly name: string;
}

interface WhoChoiceProps {
  roles: readonly AccessRole[];
  who: Who;
  onChange: (who: Who) => void;
}

/** Chooses somebody. */
export function WhoChoice({ roles, who, onChange }: WhoChoiceProps) {
  const { access } = useTexts('model');
  const [select, address] = [useId(), useId()];
  return (
    <>
      <Input.Wrapper label={access.who.label} id={select}>
        <Input
          component="select"
          id={select}
          value={who.kind === 'role' ? `role:${who.name}` : who.kind}
          onChange={({ currentTarget: { value } }) =>
            onChange(
              value.startsWith('role:')
                ? { kind: 'role', name: value.slice('role:'.length) }
                : { kind: value === 'person' ? 'person' : 'guest', name: '' },
            )
          }
        >
          <option value="guest">{access.who.guest}</option>
          <option value="person">{access.who.person}</option>
          {roles.map(({ id, name }) => (
            <option key={id} value={`role:${name}`}>
              {access.who.role(name)}
            </option>
          ))}
        </Input>
      </Input.Wrapper>
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
