import { Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../api/api-error.js';
import { FormProblem } from '../../forms/form-problem.js';
import { useForm } from '../../forms/use-form.js';
import { createServiceAccount, SERVICE_ACCOUNTS } from '../../session/keys-api.js';
import account from '../account/account.module.css';
import { EditSection } from '../account/edit-section.js';
import { FormButtons } from '../../forms/form-buttons.js';
import { useTexts } from '../../texts/texts.js';

/** Makes an account of a program. */
export function NewServiceAccount() {
  const { programs } = useTexts('account');
  return (
    <EditSection
      title={programs.makeTitle}
      button={programs.make}
      form={(close) => <NewServiceAccountForm onClose={close} />}
    />
  );
}

function NewServiceAccountForm({ onClose }: { onClose: (outcome: string | null) => void }) {
  const { programs } = useTexts('account');
  const queries = useQueryClient();
  const form = useForm({
    send: ({ name = '', roles = '' }) => create(name.trim(), roles),
    done: ({ name }) => {
      void queries.invalidateQueries({ queryKey: SERVICE_ACCOUNTS, exact: true });
      onClose(programs.made(name));
    },
  });
  return (
    <form {...form.props} aria-label={programs.make} className={account.narrow}>
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
        <TextInput
          label={programs.roles}
          description={programs.rolesHint}
          name="roles"
          defaultValue="user"
          required
          withAsterisk={false}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          error={form.error('roles')}
        />
        <FormButtons submit={programs.make} busy={form.busy} onCancel={() => onClose(null)} />
      </Stack>
    </form>
  );
}

/** Makes the account of a program. What is wrong with one of several roles belongs to the input of all of them. */
async function create(name: string, roles: string): ReturnType<typeof createServiceAccount> {
  const names = roles
    .split(',')
    .map((role) => role.trim())
    .filter((role) => role !== '');
  try {
    return await createServiceAccount(name, names);
  } catch (fault) {
    if (!(fault instanceof ApiError)) throw fault;
    const { status, code, message, retryAfterSeconds, requestId } = fault;
    const fields = fault.fields.map((one) => ({
      ...one,
      field: one.field.replace(/^roles\.\d+$/, 'roles'),
      message: `${names[Number(/^roles\.(\d+)$/.exec(one.field)?.[1])] ?? ''} ${one.message}`,
    }));
    throw new ApiError({ status, code, message, retryAfterSeconds, requestId, fields });
  }
}
