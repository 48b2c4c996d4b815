import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { explain, type Explanation } from '../../api/explain.js';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import { type ListView, readView } from '../data/list-address.js';
import { Menu } from './menu.js';
import type { RecordSchema } from '../data/record-schema.js';
import classes from './records.module.css';
import {
  deleteView,
  listViewRoles,
  listViews,
  type RecordContext,
  type SavedView,
  saveView,
} from '../data/records-api.js';
import { Choice } from '../frame/choice.js';

const NO_FAULT: Explanation = { problem: null, fields: {} };

interface SavedViewsProps {
  readonly context: RecordContext;
  readonly schema: RecordSchema;
  readonly view: ListView;
  readonly onView: (view: ListView) => void;
}

export function SavedViews(props: SavedViewsProps) {
  const { records } = useTexts('records');
  return (
    <Menu label={records.views}>
      <ViewList {...props} />
    </Menu>
  );
}

function ViewList({ context, schema, view, onView }: SavedViewsProps) {
  const { records, forms } = useTexts('records');
  const queries = useQueryClient();
  const key = ['records', 'views', schema.name];
  const canListRoles = context.permissions.content['role']?.['list'] !== undefined;
  const { data: views, error } = useQuery({ queryKey: key, queryFn: () => listViews(schema.name, canListRoles) });
  const { data: roles = [] } = useQuery({ queryKey: ['view-roles'], queryFn: listViewRoles, enabled: canListRoles });
  const [name, setName] = useState('');
  const [role, setRole] = useState('');
  const [isEmpty, setEmpty] = useState(false);
  const onSettled = (): unknown => queries.invalidateQueries({ queryKey: key });
  const save = useMutation({
    mutationFn: (named: string) => saveView(schema.name, named, view, role === '' ? null : role),
    onSuccess: () => setName(''),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: ({ id }: SavedView) => deleteView(id),
    onSettled,
  });
  const refusal = save.error ?? remove.error ?? error;
  const { problem, fields } = refusal === null ? NO_FAULT : explain(refusal, save.error ? ['name'] : []);
  const outcome = save.isSuccess
    ? records.viewSaved(save.variables)
    : remove.isSuccess && records.viewRemoved(remove.variables.name);
  const nameFault = isEmpty ? forms.empty : fields['name'];
  function resetMutations(): void {
    setEmpty(false);
    save.reset();
    remove.reset();
  }
  function drop(saved: SavedView): void {
    resetMutations();
    remove.mutate(saved);
  }
  function submit(event: FormEvent): void {
    event.preventDefault();
    resetMutations();
    setEmpty(name.trim() === '');
    if (name.trim() !== '') save.mutate(name.trim());
  }
  const actions = context.permissions.content['view'] ?? {};
  return (
    <>
      {problem !== null && <Notice tone="problem">{problem}</Notice>}
      <div role="status">{outcome && <Notice tone="success">{outcome}</Notice>}</div>
      {views?.length === 0 && <div className={classes.note}>{records.noViews}</div>}
      <ul className={classes.views}>
        {views?.map((saved) => (
          <li key={saved.id}>
            <Button variant="subtle" size="xs" onClick={() => onView(readView(saved.query))}>
              {saved.name}
            </Button>
            {saved.role && <span className={classes.note}>{records.sharedWith(saved.role.name)}</span>}
            {actions['delete'] !== undefined && (
              <Button
                variant="default"
                size="xs"
                aria-label={records.removeView(saved.name)}
                onClick={() => drop(saved)}
              >
                ×
              </Button>
            )}
          </li>
        ))}
      </ul>
      {actions['create'] !== undefined && (
        <form className={classes.builder} aria-label={records.saveView} noValidate onSubmit={submit}>
          <TextInput
            size="xs"
            label={records.viewName}
            maxLength={100}
            value={name}
            autoComplete="off"
            error={nameFault}
            onChange={({ currentTarget }) => [resetMutations(), setName(currentTarget.value)]}
          />
          {roles.length > 0 && (
            <Choice
              size="xs"
              label={records.seenBy}
              options={[['', records.onlyMe], ...roles.map(({ id, name: text }) => [id, text] as const)]}
              value={role}
              onChange={(next) => [resetMutations(), setRole(next)]}
            />
          )}
          <Button type="submit" size="xs" loading={save.isPending}>
            {records.saveView}
          </Button>
        </form>
      )}
    </>
  );
}
