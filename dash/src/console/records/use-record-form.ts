import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/api-error.js';
import { explain, type Explanation } from '../../api/explain.js';
import { texts } from '../../texts/texts.js';
import { useSession } from '../../session/use-session.js';
import { InvalidInput } from '../fields/values.js';
import { toTopLevelFields } from '../data/translate-faults.js';
import { draftName, saveDraft, readDraft } from '../data/drafts.js';
import {
  ANY_VERSION,
  type Conflict,
  conflictsOf,
  isSame,
  LinkEdit,
  type PendingRecord,
  rebased,
  type RecordValues,
  truncatedIn,
} from '../data/record-changes.js';
import { editedLinks, linkEdit, withMoreLinks } from '../data/link-edit.js';
import type { RecordSchema } from '../data/record-schema.js';
import {
  createRecord,
  getLinks,
  getRecord,
  type ReadRecord,
  type RecordContext,
  updateRecord,
  versionOf,
} from '../data/records-api.js';
import { useLeaveWarning } from './use-cell-edits.js';

export interface RecordFormState {
  readonly values: RecordValues;
  readonly isDirty: boolean;
  readonly isDraft: boolean;
  readonly isStale: boolean;
  readonly conflict: { readonly theirs: ReadRecord; readonly conflicts: readonly Conflict[] } | null;
  readonly problem: string | null;
  readonly faults: Readonly<Record<string, string>>;
  readonly isBusy: boolean;
  readonly change: (field: string, value: unknown) => void;
  readonly discard: () => void;
  readonly merge: () => void;
  readonly resolve: (accepted: ReadonlySet<string>) => void;
  /** Returns the key of the saved record, or null. */
  readonly save: () => Promise<string | null>;
  readonly truncated: ReadonlySet<string>;
  readonly readMore: (field: string) => Promise<void>;
}

/** Keeps the changes of a record until they are saved, across a reload and across changes by other users. */
export function useRecordForm(
  context: RecordContext,
  schema: RecordSchema,
  id: string | null,
  newest: ReadRecord,
): RecordFormState {
  const session = useSession();
  const account = session.status === 'signed-in' ? session.account : '';
  const name = draftName(account, schema.name, id ?? 'new');
  const [draft] = useState(() => readDraft(sessionStorage, name));
  const [record, setRecord] = useState<PendingRecord>(() => ({
    id: id ?? '',
    base: newest.values,
    tag: draft?.tag ?? newest.tag,
    changes: draft?.changes ?? {},
  }));
  const [conflict, setConflict] = useState<RecordFormState['conflict']>(null);
  const [{ problem, fields }, setFault] = useState<Explanation>({ problem: null, fields: {} });
  const [isBusy, setBusy] = useState(false);
  /** Cursors of the next pages of links, by ETag and relation. */
  const cursors = useRef(new Map<string, string>());
  const isDirty = Object.keys(record.changes).length > 0;
  const isStale = id !== null && versionOf(newest.tag) !== versionOf(record.tag);
  useLeaveWarning(isDirty);
  useEffect(() => saveDraft(sessionStorage, name, record), [name, record]);
  useEffect(() => {
    if (!isDirty && isStale) setRecord((previous) => ({ ...previous, base: newest.values, tag: newest.tag }));
  }, [isDirty, isStale, newest]);

  function change(field: string, value: unknown): void {
    setFault((previous) => withoutField(previous, field));
    setRecord((previous) => {
      const { [field]: before, ...others } = previous.changes;
      if (id !== null && schema.fields.some(({ name: one, many }) => one === field && many)) {
        const edit = linkEdit(previous.base, field, Array.isArray(value) ? value : [], before);
        return { ...previous, changes: edit === null ? others : { ...others, [field]: edit } };
      }
      const isUnchanged = isSame(previous.base[field], value) && !(value instanceof InvalidInput);
      return { ...previous, changes: isUnchanged ? others : { ...others, [field]: value } };
    });
  }

  async function readMore(field: string): Promise<void> {
    const linksKey = `${record.tag} ${field}`;
    const from = cursors.current.get(linksKey) ?? '';
    setFault({ problem: null, fields: {} });
    try {
      const { references, next } = await getLinks(context, schema, record.id, field, from);
      cursors.current.set(linksKey, next ?? '');
      setRecord((previous) => ({ ...previous, base: withMoreLinks(previous.base, field, references, next === null) }));
      // The first page only has links that are already loaded.
      if (from === '' && next !== null) await readMore(field);
    } catch (error) {
      setFault(explain(error, []));
    }
  }

  async function save(): Promise<string | null> {
    if (Object.values(record.changes).some((value) => value instanceof InvalidInput)) return null;
    setBusy(true);
    setFault({ problem: null, fields: {} });
    try {
      const saved = id === null ? await create() : await updateCurrent(id);
      if (saved === null) return null;
      saveDraft(sessionStorage, name, { changes: {}, tag: '' });
      setRecord((previous) => ({ ...previous, changes: {} }));
      return saved;
    } catch (error) {
      setFault(
        explain(
          toTopLevelFields(error, texts('records').recordFaults),
          schema.fields.map((field) => field.name),
        ),
      );
      return null;
    } finally {
      setBusy(false);
    }
  }

  async function create(): Promise<string> {
    return String((await createRecord(schema, record.changes))[schema.key]);
  }

  /** Writes the changes. Returns null if another user changed the same fields. If only other fields changed, retries once. */
  async function updateCurrent(key: string): Promise<string | null> {
    if (record.tag !== ANY_VERSION) {
      const refusal = await updateRecord(schema, key, record.changes, record.tag).then(() => null, rejection);
      if (refusal === null) return key;
      if (!(refusal instanceof ApiError && refusal.status === 412)) throw refusal;
    }
    // Without a tag, only a comparison of the values shows whether the record has changed.
    const current = mergeWith(await getRecord(context, schema, key));
    if (current === null) return null;
    if (Object.keys(current.changes).length > 0) await updateRecord(schema, key, current.changes, current.tag);
    return key;
  }

  /** Rebases the changes onto a newer version, or shows the conflicts and returns null. */
  function mergeWith(theirs: ReadRecord): PendingRecord | null {
    const conflicts = conflictsOf(record, theirs.values);
    if (conflicts.length > 0) {
      setConflict({ theirs, conflicts });
      return null;
    }
    const next = rebased(record, theirs.values, theirs.tag, new Set());
    setRecord(next);
    return next;
  }

  return {
    values: { ...record.base, ...shownChanges(record) },
    truncated: new Set(truncatedIn(record.base)),
    readMore,
    isDirty,
    isDraft: draft !== null && isDirty,
    isStale: isStale && isDirty && conflict === null,
    conflict,
    problem,
    faults: fields,
    isBusy,
    change,
    discard: () => {
      cursors.current.clear();
      setConflict(null);
      setFault({ problem: null, fields: {} });
      setRecord({ id: id ?? '', base: newest.values, tag: newest.tag, changes: {} });
    },
    merge: () => void mergeWith(newest),
    resolve: (accepted) => {
      if (conflict !== null)
        setRecord((previous) => rebased(previous, conflict.theirs.values, conflict.theirs.tag, accepted));
      setConflict(null);
    },
    save,
  };
}

function withoutField(previous: Explanation, field: string): Explanation {
  if (previous.problem === null && !Object.hasOwn(previous.fields, field)) return previous;
  const { [field]: _corrected, ...fields } = previous.fields;
  return { problem: null, fields };
}

function shownChanges({ base, changes }: PendingRecord): RecordValues {
  const entries = Object.entries(changes).map(([field, value]) => {
    return [field, value instanceof LinkEdit ? editedLinks(base[field], value) : value] as const;
  });
  return Object.fromEntries(entries);
}

const rejection = (error: unknown): unknown => error;
