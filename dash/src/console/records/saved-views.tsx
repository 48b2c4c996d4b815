import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { explainInWords } from '../../api/explain.js';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import { type ListView, readView } from '../data/list-address.js';
import { Menu } from './menu.js';
import type { RecordSchema } from '../data/record-schema.js';
import classes from './records.module.css';
import { deleteView, listViewRoles, listViews, type RecordWorld, saveView } from '../data/records-api.js';
import { Choice } from '../frame/choice.js';

interface SavedViewsProps {
  readonly world: RecordWorld;
  readonly schema: RecordSchema;
  readonly view: ListView;
  readonly onView: (view: ListView) => void;
}

/** Shows the views that were saved of a list: one's own, and those of one's roles. */
export function SavedViews(props: SavedViewsProps) {
  const { records } = useTexts('records');
  return (
    <Menu label={records.views}>
      <ViewList {...props} />
    </Menu>
  );
}

function ViewList({ world, schema, view, onView }: SavedViewsProps) {
  const { records } = useTexts('records');
  const queries = useQueryClient();
  const key = ['records', 'views', schema.name];
  const seesRoles = world.permissions.content['role']?.['list'] !== undefined;
  const { data: views, error } = useQuery({ queryKey: key, queryFn: () => listViews(schema.name, seesRoles) });
  const { data: roles = [] } = useQuery({ queryKey: ['view-roles'], queryFn: listViewRoles, enabled: seesRoles });
  const [name, setName] = useState('');
  const [role, setRole] = useState('');
  const onSettled = (): unknown => queries.invalidateQueries({ queryKey: key });
  const save = useMutation({
    mutationFn: () => saveView(schema.name, name.trim(), view, role === '' ? null : role),
    onSuccess: () => setName(''),
    onSettled,
  });
  const remove = useMutation({ mutationFn: deleteView, onSettled });
  const fault = error ?? save.error ?? remove.error;
  const actions = world.permissions.content['view'] ?? {};
  return (
    <>
      {fault && <Notice tone="problem">{explainInWords(fault)}</Notice>}
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
                onClick={() => remove.mutate(saved.id)}
              >
                ×
              </Button>
            )}
          </li>
        ))}
      </ul>
      {actions['create'] !== undefined && (
        <form
          className={classes.builder}
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim() !== '') save.mutate();
          }}
        >
          <TextInput
            size="xs"
            label={records.viewName}
            maxLength={100}
            value={name}
            autoComplete="off"
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {roles.length > 0 && (
            <Choice
              size="xs"
              label={records.seenBy}
              options={[['', records.onlyMe], ...roles.map(({ id, name: text }) => [id, text] as const)]}
              value={role}
              onChange={setRole}
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
