import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/api-error.js';
import { InvalidInput } from '../fields/values.js';
import {
  ANY_VERSION,
  batchesOf,
  type BatchUpdate,
  type Conflict,
  conflictsOf,
  countOf,
  type Pending,
  rebased,
  type RecordValues,
  withChange,
} from '../data/record-changes.js';
import type { RecordSchema } from '../data/record-schema.js';
import { getRecord, type ReadRecord, type RecordContext, saveBatch } from '../data/records-api.js';

export interface ConflictedRecord {
  readonly id: string;
  readonly theirs: ReadRecord;
  readonly conflicts: readonly Conflict[];
}

export interface CellEdits {
  readonly count: number;
  /** Returns the unsaved value of a cell; null if it has none. */
  readonly changed: (id: string, field: string) => { readonly value: unknown } | null;
  readonly conflict: ConflictedRecord | null;
  readonly error: unknown;
  readonly isBusy: boolean;
  readonly edit: (id: string, row: RecordValues, field: string, value: unknown) => Promise<void>;
  readonly save: () => Promise<boolean>;
  readonly discard: () => void;
  /** @param accepted fields whose stored values replace the local changes. */
  readonly resolve: (accepted: ReadonlySet<string>) => void;
}

const NO_EDITS: Pending = new Map();

/** Queues edits of cells. Reads a record when its first cell is edited. Saving requires that it has not changed since. */
export function useCellEdits(context: RecordContext, schema: RecordSchema): CellEdits {
  const [pending, setPending] = useState<Pending>(NO_EDITS);
  const [conflict, setConflict] = useState<ConflictedRecord | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const reading = useRef(new Map<string, Promise<ReadRecord>>());
  /** Current edits before they are rendered, edits whose record is being read, and whether a save is running. */
  const latest = useRef(pending);
  const applying = useRef(new Set<Promise<void>>());
  const saving = useRef(false);
  const put = useCallback((change: (previous: Pending) => Pending): void => {
    latest.current = change(latest.current);
    setPending(latest.current);
  }, []);
  useLeaveWarning(pending.size > 0);

  const applyEdit = useCallback(
    async (id: string, row: RecordValues, field: string, value: unknown): Promise<void> => {
      const read = reading.current.get(id) ?? getRecord(context, schema, id);
      reading.current.set(id, read);
      try {
        const { values, tag } = await read;
        setError(null);
        put((previous) => withChange(previous, { id, base: { ...row, ...values }, tag }, field, value));
      } catch (fault) {
        reading.current.delete(id);
        setError(fault);
        // The edit is kept. Without a tag the record is compared with the row when it is saved.
        put((previous) => withChange(previous, { id, base: row, tag: ANY_VERSION }, field, value));
      }
    },
    [context, schema, put],
  );
  const edit = useCallback(
    async (...change: Parameters<typeof applyEdit>): Promise<void> => {
      const isApplied = applyEdit(...change);
      applying.current.add(isApplied);
      await isApplied.finally(() => applying.current.delete(isApplied));
    },
    [applyEdit],
  );

  /** Saves the latest edits, one save at a time. Returns whether all of them were saved. */
  async function save(): Promise<boolean> {
    if (saving.current || conflict !== null) return false;
    saving.current = true;
    await Promise.all(applying.current);
    const unsaved = latest.current;
    try {
      return unsaved.size > 0 && !hasInvalidInput(unsaved) && (await saveAll(unsaved));
    } finally {
      saving.current = false;
    }
  }

  async function saveAll(unsaved: Pending): Promise<boolean> {
    setBusy(true);
    setError(null);
    try {
      for (const operations of batchesOf(schema.name, unsaved)) {
        if (!(await saveOperations(operations))) return false;
        const saved = new Set(operations.map(({ id }) => id));
        for (const id of saved) reading.current.delete(id);
        // Keeps edits that were made during the save.
        put(
          (previous) => new Map([...previous].filter(([id, record]) => !saved.has(id) || record !== unsaved.get(id))),
        );
      }
      return true;
    } catch (fault) {
      setError(fault);
      return false;
    } finally {
      setBusy(false);
    }
  }

  /**
   * Saves one batch. Returns false if another user has changed the same fields of a record; the conflict is shown then. A change of
   * other fields is no conflict: each record is tried once more with its new tag.
   *
   * @throws ApiError for any other refusal, and if a record changes again.
   */
  async function saveOperations(operations: readonly BatchUpdate[]): Promise<boolean> {
    const tags = new Map(operations.map(({ id, if_match: tag }) => [id, tag]));
    // Without a tag, only a comparison of the values shows whether a record has changed.
    for (const [id, tag] of tags) if (tag === ANY_VERSION && !(await renew(tags, id))) return false;
    const tried = new Set<string>();
    for (;;) {
      try {
        await saveBatch(operations.map((operation) => ({ ...operation, if_match: tags.get(operation.id) ?? '' })));
        return true;
      } catch (fault) {
        const isStale = fault instanceof ApiError && fault.status === 412;
        const operation = isStale ? operations[fault.operation ?? 0] : undefined;
        if (operation === undefined || tried.has(operation.id)) throw fault;
        tried.add(operation.id);
        if (!(await renew(tags, operation.id))) return false;
      }
    }
  }

  async function renew(tags: Map<string, string>, id: string): Promise<boolean> {
    const theirs = await getRecord(context, schema, id);
    const record = latest.current.get(id);
    const conflicts = record === undefined ? [] : conflictsOf(record, theirs.values);
    if (conflicts.length > 0) setConflict({ id, theirs, conflicts });
    else tags.set(id, theirs.tag);
    return conflicts.length === 0;
  }

  function resolve(accepted: ReadonlySet<string>): void {
    if (conflict === null) return;
    const { id, theirs } = conflict;
    reading.current.set(id, Promise.resolve(theirs));
    setConflict(null);
    put((previous) => {
      const record = previous.get(id);
      if (record === undefined) return previous;
      const next = rebased(record, theirs.values, theirs.tag, accepted);
      const rest = new Map(previous);
      if (Object.keys(next.changes).length === 0) rest.delete(id);
      else rest.set(id, next);
      return rest;
    });
  }

  function discard(): void {
    reading.current.clear();
    setConflict(null);
    setError(null);
    put(() => NO_EDITS);
  }

  function changed(id: string, field: string): { value: unknown } | null {
    const changes = pending.get(id)?.changes;
    return changes !== undefined && Object.hasOwn(changes, field) ? { value: changes[field] } : null;
  }

  return { count: countOf(pending), changed, conflict, error, isBusy, edit, save, discard, resolve };
}

function hasInvalidInput(pending: Pending): boolean {
  return [...pending.values()].some(({ changes }) =>
    Object.values(changes).some((value) => value instanceof InvalidInput),
  );
}

/** Shows the browser's warning before the user leaves a page with unsaved changes. */
export function useLeaveWarning(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isDirty]);
}
