import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { explainAsText } from '../../api/explain.js';
import { useTexts } from '../../texts/texts.js';
import { RouteButton } from '../../ui/route-link.js';
import { type ListView, writeSearch } from '../data/list-address.js';
import { ExportMenu } from './export-menu.js';
import { Menu } from './menu.js';
import type { RecordSchema } from '../data/record-schema.js';
import classes from './records.module.css';
import { countRecords, type RecordContext } from '../data/records-api.js';
import { SavedViews } from './saved-views.js';

interface ListToolsProps {
  readonly context: RecordContext;
  readonly schema: RecordSchema;
  readonly view: ListView;
  readonly columns: readonly string[];
  readonly onView: (view: ListView) => void;
  readonly onRefresh: () => void;
  readonly isImporting: boolean;
  readonly onImport: () => void;
  readonly onApi: (() => void) | null;
}

export function ListTools(props: ListToolsProps) {
  const { context, schema, view, columns, onView, onRefresh, isImporting, onImport, onApi } = props;
  const { records } = useTexts('records');
  const actions = context.permissions.content[schema.name] ?? {};
  const choose = (name: string, isOn: boolean): void =>
    onView({ ...view, columns: isOn ? [...columns, name] : columns.filter((item) => item !== name) });
  return (
    <div className={classes.bar}>
      <Count key={JSON.stringify([view.filter, view.deleted])} schema={schema} view={view} />
      <span className={classes.spring} />
      <Button variant="default" size="xs" onClick={onRefresh}>
        {records.refresh}
      </Button>
      <Menu label={records.columns}>
        {schema.fields.map(({ name, label }) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={columns.includes(name)}
              disabled={columns.length === 1 && columns.includes(name)}
              onChange={(event) => choose(name, event.currentTarget.checked)}
            />
            {label}
          </label>
        ))}
      </Menu>
      {context.schemas.has('view') && <SavedViews schema={schema} view={view} onView={onView} context={context} />}
      <ExportMenu context={context} schema={schema} view={view} columns={columns} />
      {onApi && (
        <Button variant="default" size="xs" onClick={onApi}>
          {records.api}
        </Button>
      )}
      {actions['restore'] !== undefined && schema.softDelete && (
        <Button
          variant={view.deleted ? 'filled' : 'default'}
          size="xs"
          aria-label={records.showDeleted}
          aria-pressed={view.deleted}
          onClick={() => onView({ ...view, deleted: !view.deleted })}
        >
          {records.deleted}
        </Button>
      )}
      {actions['create'] !== undefined && (
        <Button variant="default" size="xs" aria-expanded={isImporting} onClick={onImport}>
          {records.import.open}
        </Button>
      )}
      {actions['create'] !== undefined && (
        <RouteButton size="xs" to="/dash/records/$schema/$id" params={{ schema: schema.name, id: 'new' }}>
          {records.create}
        </RouteButton>
      )}
    </div>
  );
}

/** Counts on demand: first up to 10,000, then completely. */
function Count({ schema, view }: { schema: RecordSchema; view: ListView }) {
  const { records } = useTexts('records');
  const [how, setHow] = useState<'capped' | 'exact' | null>(null);
  const { data, error, isFetching } = useQuery({
    queryKey: ['records', 'count', schema.name, writeSearch({ ...view, sort: [], columns: null }), how],
    queryFn: () => countRecords(schema, view, how ?? 'capped'),
    enabled: how !== null,
  });
  if (error) return <span className={classes.note}>{explainAsText(error)}</span>;
  if (data === undefined)
    return (
      <Button variant="default" size="xs" loading={isFetching} onClick={() => setHow('capped')}>
        {records.count}
      </Button>
    );
  return (
    <>
      <span role="status">{data.capped ? records.cappedAt(data.total) : records.counted(data.total)}</span>
      {data.capped && (
        <Button variant="default" size="xs" loading={isFetching} onClick={() => setHow('exact')}>
          {records.countAll}
        </Button>
      )}
    </>
  );
}
