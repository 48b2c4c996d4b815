import { Input } from '@mantine/core';
import { useId } from 'react';
import { useTexts } from '../../texts/texts.js';
import { Choice } from '../frame/choice.js';
import type { AccessRole } from './access-model.js';

/** Principal of an access question: a guest, the users of a role, or a user by e-mail address. */
export interface AccessSubject {
  readonly kind: 'guest' | 'role' | 'person';
  /** Role name or e-mail address; empty for a guest. */
  readonly name: string;
}

interface SubjectPickerProps {
  roles: readonly AccessRole[];
  subject: AccessSubject;
  onChange: (subject: AccessSubject) => void;
}

export function SubjectPicker({ roles, subject, onChange }: SubjectPickerProps) {
  const { access } = useTexts('model');
  const address = useId();
  return (
    <>
      <Choice
        label={access.subject.label}
        options={[
          ['guest', access.subject.guest],
          ['person', access.subject.person],
          ...roles.flatMap(({ name }) =>
            name === 'guest' ? [] : [[`role:${name}`, access.subject.role(name)] as const],
          ),
        ]}
        value={subject.kind === 'role' ? `role:${subject.name}` : subject.kind}
        onChange={(value) =>
          onChange(
            value.startsWith('role:')
              ? { kind: 'role', name: value.slice('role:'.length) }
              : { kind: value === 'person' ? 'person' : 'guest', name: '' },
          )
        }
      />
      {subject.kind === 'person' && (
        <Input.Wrapper label={access.subject.address} id={address} required>
          <Input
            id={address}
            type="email"
            required
            value={subject.name}
            onChange={({ currentTarget }) => onChange({ kind: 'person', name: currentTarget.value })}
            autoComplete="off"
            maxLength={254}
          />
        </Input.Wrapper>
      )}
    </>
  );
}
