import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useTexts, withTexts } from '../../texts/texts.js';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { useSaveKey } from '../frame/use-save-key.js';
import { BulkBar } from './bulk-bar.js';
import { BulkChanges } from './bulk-changes.js';
import { FilterBar } from './filter-bar.js';
import type { ListView } from '../data/list-address.js';
import { queryOf } from '../data/list-request.js';
import { ListTools } from './list-tools.js';
import { saveOpenCell } from './open-cell.js';
import { PendingBar } from './pending-bar.js';
import { RecordGrid } from './record-grid.js';
import { defaultColumns, type RecordSchema } from '../data/record-schema.js';
import type { RecordContext } from '../data/records-api.js';
import { NOTHING_SELECTED, type Selection } from './selection.js';
import { useCellEdits } from './use-cell-edits.js';

const ImportSection = lazy(async () => ({ default: (await import('./import-section.js')).ImportSection }));

const loadApi = withTexts('reference', () => import('../../console/api-samples/api-section.js'));
const ApiSection = lazy(async () => ({ default: (await loadApi()).ApiSection }));

interface RecordListProps {
  readonly context: RecordContext;
  readonly schema: RecordSchema;
  readonly view: ListView;
  readonly onView: (view: ListView) => void;
}

export function RecordList({ context, schema, view, onView }: RecordListProps) {
  const { records } = useTexts('records');
  const queries = useQueryClient();
  const columns = useMemo(() => shownColumns(schema, view), [schema, view.columns?.join()]);
  const [selection, setSelection] = useState<Selection>(NOTHING_SELECTED);
  const [isImportActive, setImportActive] = useStoredFlag(`import:${schema.name}`);
  const [isImporting, setImporting] = useState(isImportActive);
  const [isApi, setApi] = useStoredFlag(`api:${schema.name}`);
  const actions = context.permissions.content[schema.name] ?? {};
  const edits = useCellEdits(context, schema);
  const [isCorrecting, setCorrecting] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const filterText = JSON.stringify([view.filter, view.deleted]);
  function refresh(): void {
    setSelection(NOTHING_SELECTED);
    void queries.invalidateQueries({ queryKey: ['records', 'pages', schema.name] });
    void queries.invalidateQueries({ queryKey: ['records', 'count', schema.name] });
  }
  async function save(): Promise<void> {
    setSaved(false);
    if (!(await saveOpenCell()) || !(await edits.save())) return;
    setSaved(true);
    refresh();
  }
  useSaveKey(() => void save());
  function showOther(next: ListView): void {
    setSelection(NOTHING_SELECTED);
    onView(next);
  }
  return (
    <>
      <FilterBar
        key={filterText}
        schema={schema}
        filter={view.filter}
        onFilter={(filter) => showOther({ ...view, filter })}
        onEdit={setCorrecting}
      />
      <ListTools
        context={context}
        schema={schema}
        view={view}
        columns={columns}
        onView={showOther}
        onRefresh={refresh}
        isImporting={isImporting}
        onImport={() => setImporting(!isImporting)}
        onApi={isApi ? null : () => setApi(true)}
      />
      {isImporting && actions['create'] !== undefined && (
        <Suspense fallback={<Loading />}>
          <ImportSection
            context={context}
            schema={schema}
            canUpdate={actions['update'] !== undefined}
            onDone={refresh}
            onClose={() => setImporting(false)}
            onActiveChange={setImportActive}
          />
        </Suspense>
      )}
      {isApi && (
        <Suspense fallback={<Loading />}>
          <ApiSection schema={schema.name} target={{ query: queryOf(view) }} onClose={() => setApi(false)} />
        </Suspense>
      )}
      <RecordGrid
        key={JSON.stringify([filterText, view.sort, columns])}
        context={context}
        schema={schema}
        view={view}
        columns={columns}
        selection={selection}
        edits={edits}
        onSelection={setSelection}
        onSort={(sort) => showOther({ ...view, sort })}
        isCorrecting={isCorrecting}
      />
      <div role="status">{isSaved && edits.count === 0 && <Notice tone="success">{records.saved}</Notice>}</div>
      {edits.count > 0 && <PendingBar schema={schema} edits={edits} onSave={() => void save()} />}
      <BulkChanges schema={schema.name} onEnd={refresh} />
      {selection !== NOTHING_SELECTED && (
        <BulkBar
          context={context}
          schema={schema}
          view={view}
          selection={selection}
          onSelection={setSelection}
          onDone={refresh}
        />
      )}
    </>
  );
}

function useStoredFlag(name: string): readonly [boolean, (isOn: boolean) => void] {
  const [isOn, setOn] = useState(() => sessionStorage.getItem(name) !== null);
  const store = (next: boolean): void => {
    if (next) sessionStorage.setItem(name, '');
    else sessionStorage.removeItem(name);
    setOn(next);
  };
  return [isOn, store];
}

function shownColumns(schema: RecordSchema, { columns }: ListView): readonly string[] {
  const existing = (columns ?? []).filter((name) => schema.fields.some((field) => field.name === name));
  return existing.length === 0 ? defaultColumns(schema) : existing;
}
