import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { ApiError } from '../../api/api-error.js';
import { explainInWords } from '../../api/explain.js';
import type { ToldBulkChange } from '../../api/openapi.js';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import { cancelBulkChange, listBulkChanges } from '../data/bulk-changes-api.js';
import classes from './records.module.css';

export const BULK_CHANGES = ['records', 'bulk-changes'] as const;

const ASKED_MS = 500;

interface BulkUnderWayProps {
  readonly schema: string;
  readonly onEnd: () => void;
}

/**
 * Shows the running bulk changes, and the results of those that ended while the page was open. The service continues them without the page.
 */
export function BulkUnderWay({ schema, onEnd }: BulkUnderWayProps) {
  const queries = useQueryClient();
  const seen = useRef(new Set<string>());
  const changes = useQuery({
    queryKey: BULK_CHANGES,
    queryFn: listBulkChanges,
    refetchInterval: ({ state }) => (state.data?.some(isRunning) ? ASKED_MS : false),
  });
  const found = useRef<ReadonlySet<string>>(null);
  if (changes.data) found.current ??= new Set(changes.data.map(({ id }) => id));
  const own = (changes.data ?? []).filter((told) => told.schema === schema);
  for (const told of own) if (isRunning(told)) seen.current.add(told.id);
  const shown = own.filter(({ id }) => seen.current.has(id));
  const ended = shown.flatMap((told) => (isRunning(told) ? [] : [told.id])).join();
  useEffect(() => (ended === '' ? undefined : onEnd()), [ended]);
  function close(id: string): void {
    seen.current.delete(id);
    void queries.invalidateQueries({ queryKey: BULK_CHANGES });
  }
  return shown.map((told) => (
    <UnderWay key={told.id} told={told} isNew={found.current?.has(told.id) === false} onClose={() => close(told.id)} />
  ));
}

interface UnderWayProps {
  readonly told: ToldBulkChange;
  /** Whether it was started here and receives the focus. */
  readonly isNew: boolean;
  readonly onClose: () => void;
}

function UnderWay({ told, isNew, onClose }: UnderWayProps) {
  const { records } = useTexts('records');
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => cancelBulkChange(told.id),
    onSettled: () => queries.invalidateQueries({ queryKey: BULK_CHANGES }),
  });
  const { action, changed, error, seen, total } = told;
  const label = { update: records.edit, delete: records.remove, restore: records.restore }[action];
  const going = isRunning(told);
  const stopped = error === null ? null : new ApiError({ status: 409, code: error, message: '' });
  const problem = stopped ?? cancel.error;
  return (
    <div className={classes.foot} role="group" aria-label={label}>
      <span>{label}:</span>
      {going && <progress aria-label={records.progress(seen, total)} max={Math.max(total, 1)} value={seen} />}
      <span role="status">{going ? records.progress(seen, total) : records.done(changed)}</span>
      {problem !== null && <Notice tone="problem">{explainInWords(problem)}</Notice>}
      <span className={classes.spring} />
      <Button
        variant="default"
        size="xs"
        autoFocus={isNew}
        loading={cancel.isPending}
        onClick={() => (going ? cancel.mutate() : onClose())}
      >
        {going ? records.stop : records.close}
      </Button>
    </div>
  );
}

const isRunning = ({ state }: ToldBulkChange): boolean => state === 'running';
