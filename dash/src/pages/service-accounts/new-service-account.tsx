import { Stack, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../api/api-error.js';
import { FormButtons } from '../../forms/form-buttons.js';
import { FormProblem } from '../../forms/form-problem.js';
import { RoleChoices } from '../../forms/role-choices.js';
import { useForm } from '../../forms/use-form.js';
import { createServiceAccount, getPermissions, PERMISSIONS, SERVICE_ACCOUNTS } from '../../session/keys-api.js';
import { useTexts } from '../../texts/texts.js';
import { Loading } from '../../ui/loading.js';
import { TryAgain } from '../../ui/try-again.js';
import account from '../account/account.module.css';
import { EditSection } from '../account/edit-section.js';

const DEFAULT_ROLE = 'user';

export function NewServiceAccount() {
  const { programs } = useTexts('account');
  return (
    <EditSection
      title={programs.createTitle}
      button={programs.create}
      form={(close) => <NewServiceAccountForm onClose={close} />}
    />
  );
}

function NewServiceAccountForm({ onClose }: { onClose: (outcome: string | null) => void }) {
  const { programs } = useTexts('account');
  const queries = useQueryClient();
  const { data: permissions, error, refetch } = useQuery({ queryKey: PERMISSIONS, queryFn: getPermissions });
  const [chosen, setChosen] = useState<readonly string[]>([DEFAULT_ROLE]);
  const form = useForm({
    send: ({ name = '', roles }) => create(name.trim(), roles === undefined ? chosen : namesIn(roles)),
    done: ({ name }) => {
      void queries.invalidateQueries({ queryKey: SERVICE_ACCOUNTS, exact: true });
      onClose(programs.created(name));
    },
  });
  if (!permissions) return error ? <TryAgain error={error} onRetry={() => void refetch()} /> : <Loading />;
  const canListRoles = permissions.root || permissions.content['role']?.['list']?.fields?.includes('name') === true;
  return (
    <form {...form.props} aria-label={programs.create} className={account.narrow}>
      <Stack>
        <FormProblem text={form.problem} />
        <TextInput
          label={programs.name}
          name="name"
          required
          withAsterisk={false}
          autoComplete="off"
          maxLength={100}
          error={form.error('name')}
          autoFocus
        />
        {canListRoles ? (
          <RoleChoices by="name" legend={programs.roles} chosen={chosen} onChoose={setChosen} />
        ) : (
          <TextInput
            label={programs.roles}
            description={programs.rolesHint}
            name="roles"
            defaultValue={DEFAULT_ROLE}
            required
            withAsterisk={false}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            error={form.error('roles')}
          />
        )}
        <FormButtons submit={programs.create} busy={form.busy} onCancel={() => onClose(null)} />
      </Stack>
    </form>
  );
}

function namesIn(text: string): readonly string[] {
  return text
    .split(',')
    .map((role) => role.trim())
    .filter((role) => role !== '');
}

/** Creates a service account. Assigns errors of single roles to the input of the list. */
async function create(name: string, roles: readonly string[]): ReturnType<typeof createServiceAccount> {
  try {
    return await createServiceAccount(name, [...roles]);
  } catch (fault) {
    if (!(fault instanceof ApiError)) throw fault;
    const { status, code, message, retryAfterSeconds, requestId } = fault;
    const fields = fault.fields.map((item) => ({
      ...item,
      field: item.field.replace(/^roles\.\d+$/, 'roles'),
      message: `${roles[Number(/^roles\.(\d+)$/.exec(item.field)?.[1])] ?? ''} ${item.message}`,
    }));
    throw new ApiError({ status, code, message, retryAfterSeconds, requestId, fields });
  }
}
