import { Button, Group, Title } from '@mantine/core';
import { useId } from 'react';
import { explainAsText } from '../../api/explain.js';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import classes from './access.module.css';
import type { AccessRole, Grant } from './access-model.js';
import type { AccessDraft } from './use-access-draft.js';

interface AccessChangesProps {
  draft: AccessDraft;
  roles: readonly AccessRole[];
}

export function AccessChanges({ draft, roles }: AccessChangesProps) {
  const { access } = useTexts('model');
  const title = useId();
  const names = new Map(roles.map(({ id, name }) => [id, name]));
  const { changes, isValid, isChecking, isSaved, isOutdated, error } = draft;
  const problem = error ? explainAsText(error) : isOutdated ? access.draft.outdated : null;
  return (
    <>
      <div role="status">{isSaved && changes.length === 0 && <Notice tone="success">{access.draft.saved}</Notice>}</div>
      {problem !== null && <Notice tone="problem">{problem}</Notice>}
      {changes.length > 0 && (
        <section className={classes.changes} aria-labelledby={title}>
          <Title order={2} id={title}>
            {access.draft.title}: {access.draft.count(changes.length)}
          </Title>
          <ul className={classes.changeList}>
            {changes.map(({ role, resource, before, grant }) => (
              <li key={`${role} ${resource}`}>
                <strong>{names.get(role)}</strong> <code>{resource}</code>
                <dl>
                  <dt>{access.draft.before}</dt>
                  <dd>
                    <GrantText grant={before} />
                  </dd>
                  <dt>{access.draft.after}</dt>
                  <dd>
                    <GrantText grant={grant} />
                  </dd>
                </dl>
              </li>
            ))}
          </ul>
          <div role="status" className={classes.effect}>
            {isChecking ? access.draft.checking : !isValid && access.draft.invalid}
          </div>
          <Group>
            <Button loading={draft.isSaving} disabled={!isValid} onClick={draft.save}>
              {access.draft.save}
            </Button>
            <Button variant="default" onClick={draft.discard}>
              {access.draft.discard}
            </Button>
          </Group>
        </section>
      )}
    </>
  );
}

function GrantText({ grant }: { grant: Grant | null }) {
  const { access } = useTexts('model');
  if (grant === null) return access.draft.nothing;
  const { value, fields } = grant;
  return (
    <>
      {value === 'allow' || value === 'deny' ? access.choices[value] : <code>{value}</code>}
      {(['read', 'write'] as const).map(
        (use) =>
          fields?.[use] !== undefined && (
            <div key={use}>
              {access[use]}: {fields[use].join(', ') || access.draft.nothing}
            </div>
          ),
      )}
    </>
  );
}
