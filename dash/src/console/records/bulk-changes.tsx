import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { ApiError } from '../../api/api-error.js';
import { explainAsText } from '../../api/explain.js';
import type { BulkChange } from '../../api/openapi.js';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import { cancelBulkChange, listBulkChanges } from '../data/bulk-changes-api.js';
import classes from './records.module.css';

export const BULK_CHANGES = ['records', 'bulk-changes'] as const;

const POLL_INTERVAL_MS = 500;

interface BulkChangesProps {
  readonly schema: string;
  readonly onEnd: () => void;
}

/**
 * Shows the running bulk changes, and the results of those that ended while the page was open. The service continues them without the page.
 */
export function BulkChanges({ schema, onEnd }: BulkChangesProps) {
  const queries = useQueryClient();
  const seen = useRef(new Set<string>());
  const changes = useQuery({
    queryKey: BULK_CHANGES,
    queryFn: listBulkChanges,
    refetchInterval: ({ state }) => (state.data?.some(isRunning) ? POLL_INTERVAL_MS : false),
  });
  const found = useRef<ReadonlySet<string>>(null);
  if (changes.data) found.current ??= new Set(changes.data.map(({ id }) => id));
  const own = (changes.data ?? []).filter((bulkChange) => bulkChange.schema === schema);
  for (const bulkChange of own) if (isRunning(bulkChange)) seen.current.add(bulkChange.id);
  const shown = own.filter(({ id }) => seen.current.has(id));
  const ended = shown.flatMap((bulkChange) => (isRunning(bulkChange) ? [] : [bulkChange.id])).join();
  useEffect(() => (ended === '' ? undefined : onEnd()), [ended]);
  function close(id: string): void {
    seen.current.delete(id);
    void queries.invalidateQueries({ queryKey: BULK_CHANGES });
  }
  return shown.map((bulkChange) => (
    <BulkChangeStatus
      key={bulkChange.id}
      bulkChange={bulkChange}
      isNew={found.current?.has(bulkChange.id) === false}
      onClose={() => close(bulkChange.id)}
    />
  ));
}

interface BulkChangeStatusProps {
  readonly bulkChange: BulkChange;
  /** Whether it was started here and receives the focus. */
  readonly isNew: boolean;
  readonly onClose: () => void;
}

function BulkChangeStatus({ bulkChange, isNew, onClose }: BulkChangeStatusProps) {
  const { records } = useTexts('records');
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => cancelBulkChange(bulkChange.id),
    onSettled: () => queries.invalidateQueries({ queryKey: BULK_CHANGES }),
  });
  const { action, changed, error, seen, total } = bulkChange;
  const label = { update: records.edit, delete: records.remove, restore: records.restore }[action];
  const isActive = isRunning(bulkChange);
  const stopped = error === null ? null : new ApiError({ status: 409, code: error, message: '' });
  const problem = stopped ?? cancel.error;
  return (
    <div className={classes.foot} role="group" aria-label={label}>
      <span>{label}:</span>
      {isActive && <progress aria-label={records.progress(seen, total)} max={Math.max(total, 1)} value={seen} />}
      <span role="status">{isActive ? records.progress(seen, total) : records.done(changed)}</span>
      {problem !== null && <Notice tone="problem">{explainAsText(problem)}</Notice>}
      <span className={classes.spring} />
      <Button
        variant="default"
        size="xs"
        autoFocus={isNew}
        loading={cancel.isPending}
        onClick={() => (isActive ? cancel.mutate() : onClose())}
      >
        {isActive ? records.stop : records.close}
      </Button>
    </div>
  );
}

const isRunning = ({ state }: BulkChange): boolean => state === 'running';
