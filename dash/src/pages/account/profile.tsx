import { Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { CurrentUser } from '../../api/openapi.js';
import { LanguageField, NameField, UsernameField } from '../../forms/fields.js';
import { FormProblem } from '../../forms/form-problem.js';
import { useForm, type Values } from '../../forms/use-form.js';
import { type ProfileChange, updateProfile } from '../../session/account-api.js';
import { providerName } from '../../ui/provider-name.js';
import { When } from '../../ui/when.js';
import classes from './account.module.css';
import { EditSection } from './edit-section.js';
import { FormButtons } from '../../forms/form-buttons.js';
import { languageOf, LANGUAGES, switchLanguage, texts, useTexts } from '../../texts/texts.js';

export function Profile({ user }: { user: CurrentUser }) {
  const { profile } = useTexts('account').account;
  const name = [user.first_name, user.last_name].filter(Boolean).join(' ');
  const provider = user.provider && user.provider !== 'local' ? providerName(user.provider) : null;
  return (
    <EditSection
      title={profile.title}
      button={profile.change}
      form={(close) => <ProfileForm user={user} onClose={close} />}
    >
      <dl className={classes.facts}>
        <Fact term={profile.name} value={name} />
        <Fact term={profile.username} value={user.username} />
        <Fact term={profile.email} value={user.email} />
        <Fact term={profile.signsInWith} value={provider} />
        <Fact term={profile.roles} value={user.roles?.join(', ')} />
        <Fact term={profile.language} value={nameOf(user.language)} />
        <Fact term={profile.memberSince} value={<When time={user.created_at} as="date" />} />
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

/** Returns the native name of a language, or the tag of an unsupported one. */
function nameOf(tag: string | null | undefined): ReactNode {
  const language = languageOf(tag);
  return language === null ? tag : <span lang={language}>{LANGUAGES[language]}</span>;
}

interface ProfileFormProps {
  user: CurrentUser;
  onClose: (outcome: string | null) => void;
}

function ProfileForm({ user, onClose }: ProfileFormProps) {
  const { account, forms } = useTexts('account');
  const queries = useQueryClient();
  const form = useForm({
    send: (values) => updateProfile(changesOf(values, user)),
    done: (changed) => void finish(changed),
  });
  /** Applies a changed language before the message is shown in it. */
  async function finish(changed: CurrentUser): Promise<void> {
    const language = languageOf(changed.language);
    if (language !== null) await switchLanguage(language).catch(() => {});
    queries.setQueryData(['account', 'me'], changed);
    onClose(texts('account').account.profile.saved);
  }
  return (
    <form {...form.props} aria-label={account.profile.change} className={classes.narrow}>
      <Stack>
        <FormProblem text={form.problem} />
        <NameField
          label={forms.firstName}
          name="first_name"
          autoComplete="given-name"
          defaultValue={user.first_name ?? ''}
          error={form.error('first_name')}
          autoFocus
        />
        <NameField
          label={forms.lastName}
          name="last_name"
          autoComplete="family-name"
          defaultValue={user.last_name ?? ''}
          error={form.error('last_name')}
        />
        <UsernameField defaultValue={user.username ?? ''} error={form.error('username')} />
        <LanguageField chosen={user.language ?? null} />
        <FormButtons submit={account.profile.save} busy={form.busy} onCancel={() => onClose(null)} />
      </Stack>
    </form>
  );
}

const FIELDS = ['first_name', 'last_name', 'username', 'language'] as const;

/** Returns the changed fields only. Changes of other fields in another tab are kept. */
function changesOf(values: Values, user: CurrentUser): ProfileChange {
  const entries = FIELDS.map((field) => [field, values[field]?.trim() || null] as const);
  return Object.fromEntries(entries.filter(([field, value]) => value !== (user[field] || null)));
}
