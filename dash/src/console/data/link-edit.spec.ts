import { editedLinks, joinedParts, linkEdit, withMoreLinks } from './link-edit.js';
import { keepDraft, readDraft } from './drafts.js';
import { conflictsOf, LinkEdit, NewRecord, rebased, Reference, truncatedIn, writtenValues } from './record-changes.js';

const ref = (id: number) => new Reference('id', `t${id}`, `tag ${id}`);
const refs = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => ref(from + at));
const read = { tags: refs(0, 100), _truncated: ['tags'] };

describe('a change of links in a form', () => {
  it('writes the links that were added and removed, and no list', () => {
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

  it('is none if the list is as it was', () => {
    expect(linkEdit(read, 'tags', refs(0, 100), undefined)).toBeNull();
    expect(linkEdit({ tags: [] }, 'tags', [], undefined)).toBeNull();
    expect(linkEdit({}, 'tags', [], undefined)).toBeNull();
  });

  it('removes a link behind those that were read first, over a new read and a draft', () => {
    const all = withMoreLinks(read, 'tags', refs(0, 150), true);
    expect(truncatedIn(all)).toEqual([]);
    const edit = linkEdit(all, 'tags', refs(0, 149), undefined)!;
    expect(writtenValues({ tags: edit })).toEqual({ tags: { $remove: [{ id: 't149' }] } });
    const pending = { id: 'p', base: all, tag: '"1"', changes: { tags: edit } };
    expect(conflictsOf(pending, read)).toEqual([]);
    const again = rebased(pending, read, '"2"', new Set());
    expect(writtenValues(again.changes)).toEqual({ tags: { $remove: [{ id: 't149' }] } });
    const kept = new Map<string, string>();
    const storage = {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, text: string) => void kept.set(name, text),
      removeItem: (name: string) => void kept.delete(name),
    };
    keepDraft(storage, 'draft', again);
    const draft = readDraft(storage, 'draft')!;
    expect(draft.changes['tags']).toBeInstanceOf(LinkEdit);
    const more = linkEdit(read, 'tags', [...editedLinks(read.tags, edit), ref(300)], draft.changes['tags'])!;
    expect(writtenValues({ tags: more })).toEqual({ tags: { $add: [{ id: 't300' }], $remove: [{ id: 't149' }] } });
  });

  it('writes a changed order only of a complete list', () => {
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

  it('shows further links once, with those that were added', () => {
    const edit = linkEdit(read, 'tags', [...refs(1, 100), ref(120), ref(200)], undefined)!;
    const more = withMoreLinks(read, 'tags', refs(0, 110), false);
    expect(truncatedIn(more)).toEqual(['tags']);
    expect(more['tags']).toEqual(refs(0, 110));
    const all = withMoreLinks(more, 'tags', refs(110, 150), true);
    expect(editedLinks(all['tags'], edit)).toEqual([...refs(1, 150), ref(200)]);
  });

  it('names the incomplete lists of all parts of a record', () => {
    expect(joinedParts([{ a: 1, _truncated: ['x'] }, { b: 2 }, { c: 3, _truncated: ['y'] }])).toEqual({
      a: 1,
      b: 2,
      c: 3,
      _truncated: ['x', 'y'],
    });
    expect(joinedParts([{ a: 1 }, { b: 2 }])).toEqual({ a: 1, b: 2 });
  });
});
