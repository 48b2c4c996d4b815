import { Button, Input, Title } from '@mantine/core';
import { useId, useState } from 'react';
import { useTexts } from '../../texts/texts.js';
import type { RecordContext } from '../data/records-api.js';
import classes from './access.module.css';
import { type AccessRole, ACTIONS, otherResources, resourceOf } from './access-model.js';
import { CopyForm } from './copy-form.js';
import { GrantRow } from './grant-row.js';
import type { AccessDraft } from './use-access-draft.js';

interface GrantPanelProps {
  context: RecordContext;
  roles: readonly AccessRole[];
  role: AccessRole;
  /** Empty for all resources that are not an action of a schema. */
  schema: string;
  draft: AccessDraft;
  isReadOnly: boolean;
}

export function GrantPanel({ context, roles, role, schema, draft, isReadOnly }: GrantPanelProps) {
  const { access } = useTexts('model');
  const title = useId();
  const schemas = [...context.schemas.keys()];
  const own = draft.permissions.filter((item) => item.role === role.id);
  // Removed permissions stay visible until they are saved.
  const removed = draft.changes.filter((item) => item.role === role.id);
  const resources = schema === '' ? otherResources([...own, ...removed], schemas) : [];
  return (
    <section className={classes.panel} aria-labelledby={title}>
      <Title order={2} id={title}>
        {schema === '' ? access.panelOthers(role.name) : access.panel(role.name, schema)}
      </Title>
      <ul className={classes.grants}>
        {schema === ''
          ? resources.map((resource) => (
              <GrantRow
                key={resource}
                {...{ context, role, draft, isReadOnly, resource }}
                name={resource}
                schema={null}
                action={null}
              />
            ))
          : ACTIONS.map((action) => (
              <GrantRow
                key={action}
                {...{ context, role, draft, isReadOnly, action }}
                name={access.actions[action]}
                resource={resourceOf(schema, action)}
                schema={context.schemas.get(schema) ?? null}
              />
            ))}
      </ul>
      {!isReadOnly && schema === '' && (
        <AddForm onAdd={(resource) => draft.set(role.id, resource, { value: 'allow', fields: null })} />
      )}
      {!isReadOnly && schema !== '' && (
        <CopyForm roles={roles} schemas={schemas} to={{ role: role.id, schema }} onCopy={draft.copy} />
      )}
    </section>
  );
}

function AddForm({ onAdd }: { onAdd: (resource: string) => void }) {
  const { access } = useTexts('model');
  const [resource, setResource] = useState('');
  return (
    <form
      className={classes.line}
      onSubmit={(event) => {
        event.preventDefault();
        if (resource.trim() === '') return;
        onAdd(resource.trim());
        setResource('');
      }}
    >
      <Input.Wrapper label={access.resource} description={access.resourceHint}>
        <Input
          value={resource}
          onChange={({ currentTarget }) => setResource(currentTarget.value)}
          aria-label={access.resource}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={255}
        />
      </Input.Wrapper>
      <Button type="submit" variant="default">
        {access.add}
      </Button>
    </form>
  );
}
