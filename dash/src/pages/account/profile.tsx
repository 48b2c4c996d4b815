import { Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { CurrentUser } from '../../api/openapi.js';
import { NameField, UsernameField } from '../../forms/fields.js';
import { FormProblem } from '../../forms/form-problem.js';
import { useForm, type Values } from '../../forms/use-form.js';
import { type ProfileChange, updateProfile } from '../../session/account-api.js';
import { providerName } from '../../ui/provider-name.js';
import { When } from '../../ui/when.js';
import classes from './account.module.css';
import { EditSection, FormButtons } from './edit-section.js';

/** What the service knows of the person, and what they call themselves. */
export function Profile({ user }: { user: CurrentUser }) {
  const name = [user.first_name, user.last_name].filter(Boolean).join(' ');
  const provider = user.provider && user.provider !== 'local' ? providerName(user.provider) : null;
  return (
    <EditSection
      title="Profile"
      button="Change name or user name"
      form={(close) => <ProfileForm user={user} onClose={close} />}
    >
      <dl className={classes.facts}>
        <Fact term="Name" value={name} />
        <Fact term="User name" value={user.username} />
        <Fact term="E-mail" value={user.email} />
        <Fact term="Signs in with" value={provider} />
        <Fact term="Roles" value={user.roles?.join(', ')} />
        <Fact term="Member since" value={<When time={user.created_at} as="date" />} />
      </dl>
    </EditSection>
  );
}

function Fact({ term, value }: { term: string; value: ReactNode }) {
  if (!value) return null;
  return (
    <>
      <dt>{term}</dt>
      <dd>{value}</dd>
    </>
  );
}

interface ProfileFormProps {
  user: CurrentUser;
  onClose: (outcome: string | null) => void;
}

function ProfileForm({ user, onClose }: ProfileFormProps) {
  const queries = useQueryClient();
  const form = useForm({
    send: (values) => updateProfile(changesOf(values, user)),
    done: (changed) => {
      queries.setQueryData(['account', 'me'], changed);
      onClose('Your profile is saved.');
    },
  });
  return (
    <form {...form.props} aria-label="Change name or user name" className={classes.narrow}>
      <Stack>
        <FormProblem text={form.problem} />
        <NameField
          label="First name"
          name="first_name"
          autoComplete="given-name"
          defaultValue={user.first_name ?? ''}
          error={form.error('first_name')}
          autoFocus
        />
        <NameField
          label="Last name"
          name="last_name"
          autoComplete="family-name"
          defaultValue={user.last_name ?? ''}
          error={form.error('last_name')}
        />
        <UsernameField defaultValue={user.username ?? ''} error={form.error('username')} />
        <FormButtons submit="Save" busy={form.busy} onCancel={() => onClose(null)} />
      </Stack>
    </form>
  );
}

const FIELDS = ['first_name', 'last_name', 'username'] as const;

/** What another tab changed meanwhile stays as it is, unless it is changed here, too. */
function changesOf(values: Values, user: CurrentUser): ProfileChange {
  const entries = FIELDS.map((field) => [field, values[field]?.trim() || null] as const);
  return Object.fromEntries(entries.filter(([field, value]) => value !== (user[field] || null)));
}
