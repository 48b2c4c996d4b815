import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { explainAsText } from '../../api/explain.js';
import type { BulkChange } from '../../api/openapi.js';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import { BulkEdit } from './bulk-edit.js';
import { AT_ONCE } from '../data/bulk.js';
import type { BulkAction } from '../data/bulk-changes-api.js';
import type { ListView } from '../data/list-address.js';
import type { RecordValues } from '../data/record-changes.js';
import type { RecordSchema } from '../data/record-schema.js';
import classes from './records.module.css';
import { countRecords, type RecordContext } from '../data/records-api.js';
import { NOTHING_SELECTED, type Selection } from './selection.js';
import { BULK_CHANGES } from './bulk-changes.js';
import { useBulk } from './use-bulk.js';

interface BulkBarProps {
  readonly context: RecordContext;
  readonly schema: RecordSchema;
  readonly view: ListView;
  readonly selection: Selection;
  readonly onSelection: (selection: Selection) => void;
  readonly onDone: () => void;
}

export function BulkBar({ context, schema, view, selection, onSelection, onDone }: BulkBarProps) {
  const { records } = useTexts('records');
  const queries = useQueryClient();
  const [pendingAction, setPendingAction] = useState<BulkAction | null>(null);
  const [isEditing, setEditing] = useState(false);
  const all = useQuery({
    queryKey: ['records', 'count', schema.name, JSON.stringify([view.filter, view.deleted]), 'bulk'],
    queryFn: () => countRecords(schema, view, 'exact'),
    enabled: selection.kind === 'all',
    gcTime: 0,
  });
  const total = selection.kind === 'all' ? all.data?.total : selection.ids.size;
  const bulk = useBulk(schema, view, selection.kind === 'all' ? null : selection.ids, (started) => {
    queries.setQueryData<readonly BulkChange[]>(BULK_CHANGES, (previous = []) => [started, ...previous]);
    void queries.invalidateQueries({ queryKey: BULK_CHANGES });
    close();
  });
  const close = (): void => {
    bulk.reset();
    onDone();
  };
  return (
    <div className={classes.foot} role="region" aria-label={records.selected(total ?? 0)}>
      {(bulk.error ?? all.error) !== null && <Notice tone="problem">{explainAsText(bulk.error ?? all.error)}</Notice>}
      {bulk.progress !== null ? (
        <Progress bulk={bulk} total={total ?? 0} onClose={close} />
      ) : pendingAction !== null && total !== undefined ? (
        <Question
          action={pendingAction}
          total={total}
          onCancel={() => setPendingAction(null)}
          onConfirm={() => bulk.start(pendingAction, total)}
        />
      ) : (
        <>
          <span>
            {selection.kind === 'all' && total !== undefined
              ? records.allSelected(total)
              : records.selected(total ?? 0)}
          </span>
          <span className={classes.spring} />
          {selection.kind === 'some' && (
            <Button variant="default" size="xs" onClick={() => onSelection({ kind: 'all' })}>
              {records.allMatching}
            </Button>
          )}
          <Choices
            context={context}
            schema={schema}
            view={view}
            isReady={total !== undefined}
            onEdit={() => setEditing(!isEditing)}
            onAction={setPendingAction}
          />
          <Button variant="default" size="xs" onClick={() => onSelection(NOTHING_SELECTED)}>
            {records.unselect}
          </Button>
          {isEditing && (
            <BulkEdit
              schema={schema}
              context={context}
              onChange={(values: RecordValues) => setPendingAction({ kind: 'edit', values })}
            />
          )}
        </>
      )}
    </div>
  );
}

interface ChoicesProps {
  readonly context: RecordContext;
  readonly schema: RecordSchema;
  readonly view: ListView;
  readonly isReady: boolean;
  readonly onEdit: () => void;
  readonly onAction: (action: BulkAction) => void;
}

function Choices({ context, schema, view, isReady, onEdit, onAction }: ChoicesProps) {
  const { records } = useTexts('records');
  const actions = context.permissions.content[schema.name] ?? {};
  if (view.deleted)
    return (
      <Button size="xs" disabled={!isReady} onClick={() => onAction({ kind: 'restore' })}>
        {records.restore}
      </Button>
    );
  return (
    <>
      {actions['update'] !== undefined && (
        <Button variant="default" size="xs" disabled={!isReady} onClick={onEdit}>
          {records.edit}
        </Button>
      )}
      {actions['delete'] !== undefined && (
        <Button size="xs" data-danger disabled={!isReady} onClick={() => onAction({ kind: 'delete' })}>
          {records.remove}
        </Button>
      )}
    </>
  );
}

interface QuestionProps {
  readonly action: BulkAction;
  readonly total: number;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

function Question({ action, total, onConfirm, onCancel }: QuestionProps) {
  const { records, forms } = useTexts('records');
  return (
    <>
      <span>
        {records.sure[action.kind](total)} {total > AT_ONCE && records.inBatches}
      </span>
      <span className={classes.spring} />
      <Button size="xs" data-danger={action.kind === 'delete' || undefined} onClick={onConfirm}>
        {records.confirm}
      </Button>
      <Button variant="default" size="xs" autoFocus onClick={onCancel}>
        {forms.cancel}
      </Button>
    </>
  );
}

function Progress({ bulk, total, onClose }: { bulk: ReturnType<typeof useBulk>; total: number; onClose: () => void }) {
  const { records } = useTexts('records');
  const { progress, isRunning } = bulk;
  return (
    <>
      <progress aria-label={records.progress(progress?.seen ?? 0, total)} max={total} value={progress?.seen ?? 0} />
      <span role="status">
        {isRunning ? records.progress(progress?.seen ?? 0, total) : records.done(progress?.done ?? 0)}
      </span>
      <span className={classes.spring} />
      <Button variant="default" size="xs" onClick={isRunning ? bulk.stop : onClose}>
        {isRunning ? records.stop : records.close}
      </Button>
    </>
  );
}
