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
  const roleTexts = access.roles;
  const queries = useQueryClient();
  const rule = useId();
  const [isRoot, setRoot] = useState(role?.root ?? false);
  const [isConfirming, setConfirming] = useState(false);
  const isConfirmed = useRef(false);
  const form = useForm({
    send: async (values) => {
      const changed = valuesOf(values, role, isRoot);
      await (role === null ? createRole(changed) : updateRole(role, changed));
      return changed.name;
    },
    done: (name) => {
      void queries.invalidateQueries({ queryKey: ACCESS });
      onClose(role === null ? roleTexts.created(name) : roleTexts.changed(name));
    },
  });
  const { onSubmit, ...props } = form.props;
  function submit(event: FormEvent): void {
    if (!isRoot || role?.root === true || isConfirmed.current) {
      isConfirmed.current = false;
      return onSubmit(event);
    }
    event.preventDefault();
    setConfirming(true);
  }
  return (
    <form
      {...props}
      onSubmit={submit}
      aria-label={role === null ? roleTexts.create : roleTexts.changeOne(role.name)}
      className={account.narrow}
    >
      <Stack>
        <FormProblem text={form.problem} />
        <TextInput
          label={roleTexts.name}
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
          label={roleTexts.description}
          name="description"
          defaultValue={role?.description ?? ''}
          error={form.error('description')}
          autoComplete="off"
          maxLength={1000}
        />
        <Input.Wrapper label={roleTexts.factors} id={rule} size="md" error={form.error('mfa')}>
          <Input component="select" id={rule} size="md" name="mfa" defaultValue={role?.mfa ?? 'optional'}>
            {FACTOR_RULES.map((item) => (
              <option key={item} value={item}>
                {roleTexts.factorRules[item]}
              </option>
            ))}
          </Input>
        </Input.Wrapper>
        <TextInput
          label={roleTexts.graceDays}
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
          {roleTexts.root}
        </label>
        {isConfirming ? (
          <Question
            label={roleTexts.root}
            text={roleTexts.rootSure}
            confirmLabel={roleTexts.rootNow}
            onConfirm={() => {
              isConfirmed.current = true;
              setConfirming(false);
              form.props.ref.current?.requestSubmit();
            }}
            onCancel={() => setConfirming(false)}
          />
        ) : (
          <FormButtons submit={roleTexts.save} busy={form.busy} onCancel={() => onClose(null)} />
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
