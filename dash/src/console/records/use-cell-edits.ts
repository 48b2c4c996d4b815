import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/api-error.js';
import { Unreadable } from '../fields/shared/values.js';
import {
  batchesOf,
  type Conflict,
  conflictsOf,
  countOf,
  type Pending,
  rebased,
  type RecordValues,
  withChange,
} from '../data/record-changes.js';
import type { RecordSchema } from '../data/record-schema.js';
import { getRecord, type ReadRecord, type RecordWorld, saveBatch } from '../data/records-api.js';

/** A record that somebody else changed, with what they and we changed alike. */
export interface ConflictedRecord {
  readonly id: string;
  readonly theirs: ReadRecord;
  readonly conflicts: readonly Conflict[];
}

/** The edits of cells that wait, and what becomes of them. */
export interface CellEdits {
  readonly count: number;
  /** The value that a cell is to have, where it is to be another one. */
  readonly changed: (id: string, field: string) => { readonly value: unknown } | null;
  readonly conflict: ConflictedRecord | null;
  readonly error: unknown;
  readonly isBusy: boolean;
  readonly edit: (id: string, row: RecordValues, field: string, value: unknown) => Promise<void>;
  readonly save: () => Promise<boolean>;
  readonly discard: () => void;
  /** @param taken the fields of which theirs are taken. */
  readonly resolve: (taken: ReadonlySet<string>) => void;
}

const NOTHING: Pending = new Map();

/** Queues edits of cells. Each record is read when its first cell is edited: what it was then is what it must be when it is saved. */
export function useCellEdits(world: RecordWorld, schema: RecordSchema): CellEdits {
  const [pending, setPending] = useState<Pending>(NOTHING);
  const [conflict, setConflict] = useState<ConflictedRecord | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const reading = useRef(new Map<string, Promise<ReadRecord>>());
  useLeaveWarning(pending.size > 0);

  const edit = useCallback(
    async (id: string, row: RecordValues, field: string, value: unknown): Promise<void> => {
      const read = reading.current.get(id) ?? getRecord(world, schema, id);
      reading.current.set(id, read);
      try {
        const { values, tag } = await read;
        setError(null);
        setPending((known) => withChange(known, { id, base: { ...row, ...values }, tag }, field, value));
      } catch (fault) {
        reading.current.delete(id);
        setError(fault);
      }
    },
    [world, schema],
  );

  async function save(): Promise<boolean> {
    if (hasUnreadable(pending)) return false;
    setBusy(true);
    setError(null);
    try {
      for (const operations of batchesOf(schema.name, pending)) {
        const fault = await saveBatch(operations).then(
          () => null,
          (refusal: unknown) => refusal,
        );
        if (fault !== null) return await meet(fault, operations);
        const saved = new Set(operations.map(({ id }) => id));
        for (const id of saved) reading.current.delete(id);
        setPending((known) => new Map([...known].filter(([id]) => !saved.has(id))));
      }
      return true;
    } catch (fault) {
      setError(fault);
      return false;
    } finally {
      setBusy(false);
    }
  }

  /** Where a record is another than it was, both are shown; anything else is told. */
  async function meet(fault: unknown, operations: readonly { readonly id: string }[]): Promise<false> {
    const operation = fault instanceof ApiError && fault.status === 412 ? operations[fault.operation ?? 0] : undefined;
    const record = operation && pending.get(operation.id);
    if (record === undefined) throw fault;
    const theirs = await getRecord(world, schema, record.id);
    setConflict({ id: record.id, theirs, conflicts: conflictsOf(record, theirs.values) });
    return false;
  }

  function resolve(taken: ReadonlySet<string>): void {
    if (conflict === null) return;
    const { id, theirs } = conflict;
    reading.current.set(id, Promise.resolve(theirs));
    setConflict(null);
    setPending((known) => {
      const record = known.get(id);
      if (record === undefined) return known;
      const next = rebased(record, theirs.values, theirs.tag, taken);
      const rest = new Map(known);
      if (Object.keys(next.changes).length === 0) rest.delete(id);
      else rest.set(id, next);
      return rest;
    });
  }

  function discard(): void {
    reading.current.clear();
    setConflict(null);
    setError(null);
    setPending(NOTHING);
  }

  function changed(id: string, field: string): { value: unknown } | null {
    const changes = pending.get(id)?.changes;
    return changes !== undefined && Object.hasOwn(changes, field) ? { value: changes[field] } : null;
  }

  return { count: countOf(pending), changed, conflict, error, isBusy, edit, save, discard, resolve };
}

function hasUnreadable(pending: Pending): boolean {
  return [...pending.values()].some(({ changes }) =>
    Object.values(changes).some((value) => value instanceof Unreadable),
  );
}

/** Has the browser ask before the page goes that has something unsaved. */
export function useLeaveWarning(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isDirty]);
}
