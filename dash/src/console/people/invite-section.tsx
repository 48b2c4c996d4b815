import { Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Permissions } from '../../api/openapi.js';
import { EmailField } from '../../forms/fields.js';
import { FormButtons } from '../../forms/form-buttons.js';
import { FormProblem } from '../../forms/form-problem.js';
import { useForm } from '../../forms/use-form.js';
import account from '../../pages/account/account.module.css';
import { EditSection } from '../../pages/account/edit-section.js';
import { useTexts } from '../../texts/texts.js';
import { findDelivery, invite, PEOPLE } from './people-api.js';
import { isOpen } from './people-query.js';
import { RoleChoices } from '../../forms/role-choices.js';

export function InviteSection({ permissions }: { permissions: Permissions }) {
  const { people } = useTexts('people');
  return (
    <EditSection
      title={people.inviteTitle}
      lead={people.inviteLead}
      button={people.invite}
      form={(close) => <InviteForm permissions={permissions} onClose={close} />}
    />
  );
}

interface InviteFormProps {
  permissions: Permissions;
  onClose: (outcome: string | null) => void;
}

function InviteForm({ permissions, onClose }: InviteFormProps) {
  const { people } = useTexts('people');
  const queries = useQueryClient();
  const [roles, setRoles] = useState<readonly string[]>([]);
  const form = useForm({
    send: async ({ email = '' }) => {
      await invite(email.trim(), roles);
      return people.invited(email.trim(), await findDelivery());
    },
    done: (outcome) => {
      void queries.invalidateQueries({ queryKey: PEOPLE });
      onClose(outcome);
    },
    messages: { email_taken: { text: people.emailTaken, fields: ['email'] } },
  });
  const canAssignRoles = isOpen(permissions, 'user', 'create', 'roles') && isOpen(permissions, 'role', 'list', 'name');
  return (
    <form {...form.props} aria-label={people.invite} className={account.narrow}>
      <Stack>
        <FormProblem text={form.problem} />
        <EmailField error={form.error('email')} autoFocus />
        {canAssignRoles && <RoleChoices by="id" legend={people.inviteRoles} chosen={roles} onChoose={setRoles} />}
        <FormButtons submit={people.invite} busy={form.busy} onCancel={() => onClose(null)} />
      </Stack>
    </form>
  );
}
