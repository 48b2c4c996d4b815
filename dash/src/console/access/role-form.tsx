import { Input, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useRef, useState } from 'react';
import { FormButtons } from '../../forms/form-buttons.js';
import { FormProblem } from '../../forms/form-problem.js';
import { useForm, type Values } from '../../forms/use-form.js';
import account from '../../pages/account/account.module.css';
import { Question } from '../../pages/account/question.js';
import { useTexts } from '../../texts/texts.js';
import { ACCESS } from './access-api.js';
import classes from './access.module.css';
import type { AccessRole } from './access-model.js';
import { BUILT_IN, createRole, FACTOR_RULES, type RoleValues, updateRole } from './roles-api.js';

interface RoleFormProps {
  /** Null for a new role. */
  role: AccessRole | null;
  onClose: (outcome: string | null) => void;
}

/** Role form. Giving a role full access requires a confirmation. */
export function RoleForm({ role, onClose }: RoleFormProps) {
  const { access } = useTexts('model');
  const words = access.roles;
  const queries = useQueryClient();
  const rule = useId();
  const [isRoot, setRoot] = useState(role?.root ?? false);
  const [isAsking, setAsking] = useState(false);
  const isSure = useRef(false);
  const form = useForm({
    send: async (values) => {
      const wanted = valuesOf(values, role, isRoot);
      await (role === null ? createRole(wanted) : updateRole(role, wanted));
      return wanted.name;
    },
    done: (name) => {
      void queries.invalidateQueries({ queryKey: ACCESS });
      onClose(role === null ? words.created(name) : words.changed(name));
    },
  });
  const { onSubmit, ...props } = form.props;
  function submit(event: FormEvent): void {
    if (!isRoot || role?.root === true || isSure.current) {
      isSure.current = false;
      return onSubmit(event);
    }
    event.preventDefault();
    setAsking(true);
  }
  return (
    <form
      {...props}
      onSubmit={submit}
      aria-label={role === null ? words.create : words.changeOne(role.name)}
      className={account.narrow}
    >
      <Stack>
        <FormProblem text={form.problem} />
        <TextInput
          label={words.name}
          name="name"
          defaultValue={role?.name ?? ''}
          readOnly={role !== null && BUILT_IN.includes(role.name)}
          error={form.error('name')}
          required
          withAsterisk={false}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={100}
          autoFocus
        />
        <TextInput
          label={words.description}
          name="description"
          defaultValue={role?.description ?? ''}
          error={form.error('description')}
          autoComplete="off"
          maxLength={1000}
        />
        <Input.Wrapper label={words.factors} id={rule} size="md" error={form.error('mfa')}>
          <Input component="select" id={rule} size="md" name="mfa" defaultValue={role?.mfa ?? 'optional'}>
            {FACTOR_RULES.map((one) => (
              <option key={one} value={one}>
                {words.factorRules[one]}
              </option>
            ))}
          </Input>
        </Input.Wrapper>
        <TextInput
          label={words.graceDays}
          name="mfa_grace_days"
          type="number"
          min={0}
          max={365}
          defaultValue={String(role?.mfa_grace_days ?? 0)}
          error={form.error('mfa_grace_days')}
          required
          withAsterisk={false}
        />
        <label className={classes.check}>
          <input type="checkbox" checked={isRoot} onChange={({ currentTarget }) => setRoot(currentTarget.checked)} />
          {words.root}
        </label>
        {isAsking ? (
          <Question
            label={words.root}
            text={words.rootSure}
            yes={words.rootNow}
            onYes={() => {
              isSure.current = true;
              setAsking(false);
              form.props.ref.current?.requestSubmit();
            }}
            onNo={() => setAsking(false)}
          />
        ) : (
          <FormButtons submit={words.save} busy={form.busy} onCancel={() => onClose(null)} />
        )}
      </Stack>
    </form>
  );
}

function valuesOf(values: Values, role: AccessRole | null, root: boolean): RoleValues {
  const description = values['description']?.trim() ?? '';
  const isSame = description === (role?.description ?? '');
  return {
    name: values['name']?.trim() ?? '',
    description: isSame ? (role?.description ?? null) : description || null,
    root,
    mfa: values['mfa'] ?? 'optional',
    mfa_grace_days: Number(values['mfa_grace_days'] ?? 0),
  };
}
