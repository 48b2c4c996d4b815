import { editedLinks, joinedParts, linkEdit, withMoreLinks } from './link-edit.js';
import { saveDraft, readDraft } from './drafts.js';
import { conflictsOf, LinkEdit, NewRecord, rebased, Reference, truncatedIn, writtenValues } from './record-changes.js';

const ref = (id: number) => new Reference('id', `t${id}`, `tag ${id}`);
const refs = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => ref(from + index));
const read = { tags: refs(0, 100), _truncated: ['tags'] };

describe('link edits in a form', () => {
  it('write added and removed links, not the list', () => {
    const edit = linkEdit(read, 'tags', [...refs(1, 100), ref(200), new NewRecord({ name: 'new' }, 'new')], undefined);
    expect(writtenValues({ tags: edit })).toEqual({
      tags: { $add: [{ id: 't200' }, { name: 'new' }], $remove: [{ id: 't0' }] },
    });
    expect(writtenValues({ tags: linkEdit(read, 'tags', [], undefined) })).toEqual({
      tags: { $remove: refs(0, 100).map(({ id }) => ({ id })) },
    });
    expect(writtenValues({ tags: linkEdit({ tags: [] }, 'tags', [ref(1)], undefined) })).toEqual({
      tags: { $add: [{ id: 't1' }] },
    });
  });

  it('are null if the list is unchanged', () => {
    expect(linkEdit(read, 'tags', refs(0, 100), undefined)).toBeNull();
    expect(linkEdit({ tags: [] }, 'tags', [], undefined)).toBeNull();
    expect(linkEdit({}, 'tags', [], undefined)).toBeNull();
  });

  it('remove a link beyond the first page, also after a reload and from a draft', () => {
    const all = withMoreLinks(read, 'tags', refs(0, 150), true);
    expect(truncatedIn(all)).toEqual([]);
    const edit = linkEdit(all, 'tags', refs(0, 149), undefined)!;
    expect(writtenValues({ tags: edit })).toEqual({ tags: { $remove: [{ id: 't149' }] } });
    const pending = { id: 'p', base: all, tag: '"1"', changes: { tags: edit } };
    expect(conflictsOf(pending, read)).toEqual([]);
    const again = rebased(pending, read, '"2"', new Set());
    expect(writtenValues(again.changes)).toEqual({ tags: { $remove: [{ id: 't149' }] } });
    const stored = new Map<string, string>();
    const storage = {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, text: string) => void stored.set(name, text),
      removeItem: (name: string) => void stored.delete(name),
    };
    saveDraft(storage, 'draft', again);
    const draft = readDraft(storage, 'draft')!;
    expect(draft.changes['tags']).toBeInstanceOf(LinkEdit);
    const more = linkEdit(read, 'tags', [...editedLinks(read.tags, edit), ref(300)], draft.changes['tags'])!;
    expect(writtenValues({ tags: more })).toEqual({ tags: { $add: [{ id: 't300' }], $remove: [{ id: 't149' }] } });
  });

  it('write a changed order only for a complete list', () => {
    const files = { files: refs(0, 3) };
    const order = [ref(2), ref(0), ref(1)];
    expect(writtenValues({ files: linkEdit(files, 'files', order, undefined) })).toEqual({
      files: { $set: order.map(({ id }) => ({ id })) },
    });
    expect(linkEdit({ ...files, _truncated: ['files'] }, 'files', order, undefined)).toBeNull();
    const pending = {
      id: 'p',
      base: files,
      tag: '"1"',
      changes: { files: linkEdit(files, 'files', order, undefined) },
    };
    expect(conflictsOf(pending, { files: refs(0, 4) })).toHaveLength(1);
    const theirs = { files: refs(0, 4), _truncated: ['files'] };
    expect(rebased(pending, theirs, '"2"', new Set()).changes['files']).toEqual(new LinkEdit([], []));
  });

  it('show further links once, with added links', () => {
    const edit = linkEdit(read, 'tags', [...refs(1, 100), ref(120), ref(200)], undefined)!;
    const more = withMoreLinks(read, 'tags', refs(0, 110), false);
    expect(truncatedIn(more)).toEqual(['tags']);
    expect(more['tags']).toEqual(refs(0, 110));
    const all = withMoreLinks(more, 'tags', refs(110, 150), true);
    expect(editedLinks(all['tags'], edit)).toEqual([...refs(1, 150), ref(200)]);
  });

  it('report the incomplete lists of all parts of a record', () => {
    expect(joinedParts([{ a: 1, _truncated: ['x'] }, { b: 2 }, { c: 3, _truncated: ['y'] }])).toEqual({
      a: 1,
      b: 2,
      c: 3,
      _truncated: ['x', 'y'],
    });
    expect(joinedParts([{ a: 1 }, { b: 2 }])).toEqual({ a: 1, b: 2 });
  });
});
