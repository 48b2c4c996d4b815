import { LinkEdit, NewRecord, type RecordValues, Reference } from './record-changes.js';

export type DraftStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Unsaved changes, and the ETag of the version that they are based on. */
export interface Draft {
  readonly changes: RecordValues;
  readonly tag: string;
}

export const draftName = (account: string, schema: string, id: string): string => `draft:${account}:${schema}:${id}`;

/** Stores a draft. A draft without changes is removed, as is one that exceeds the storage quota. */
export function saveDraft(storage: DraftStorage, name: string, draft: Draft): void {
  if (Object.keys(draft.changes).length === 0) return storage.removeItem(name);
  try {
    storage.setItem(
      name,
      JSON.stringify(draft, (_, value: unknown) => {
        if (value instanceof LinkEdit) return { $links: { ...value } };
        if (value instanceof NewRecord) return { $new: { ...value } };
        return value instanceof Reference ? { $reference: { ...value } } : value;
      }),
    );
  } catch {
    storage.removeItem(name);
  }
}

export function readDraft(storage: DraftStorage, name: string): Draft | null {
  const text = storage.getItem(name);
  if (text === null) return null;
  try {
    const draft = JSON.parse(text, (_, value: unknown) => referenceIn(value)) as Draft;
    return typeof draft.tag === 'string' && typeof draft.changes === 'object' ? draft : null;
  } catch {
    return null;
  }
}

interface StoredValue {
  readonly $reference?: Reference;
  readonly $new?: NewRecord;
  readonly $links?: LinkEdit;
}

function referenceIn(value: unknown): unknown {
  const { $reference: reference, $new: created, $links: links } = Object(value) as StoredValue;
  if (links !== undefined) return new LinkEdit(links.added, links.removed, links.order);
  if (created !== undefined) return new NewRecord(created.values, created.label);
  return reference === undefined
    ? value
    : new Reference(reference.key, reference.id, reference.label, reference.details);
}
