import { blog, field, schema, snapshotOf } from '../../../test/support/schema-definitions.js';
import { recordTypes } from './record-types.js';

describe('TypeScript types of records', () => {
  const text = recordTypes(snapshotOf([...blog(), schema('my_thing', [field('json', 'data'), field('bool', 'open')])]));

  test('name every schema, and what its fields hold', () => {
    expect(text).toContain(
      'export interface MyThing {\n  id: string;\n  title: string;\n  data: JsonValue;\n  open: boolean;',
    );
    expect(text).toContain('  status: "draft" | "published";');
    expect(text).toContain('  views: number;');
    expect(text).toContain('  body: string | null;');
    expect(text).toContain('  tags?: Tag[];');
    expect(text).toContain('  author?: Author | null;');
    expect(text).toContain('  my_thing: MyThing;');
  });

  test('say nothing of hidden fields', () => {
    expect(text).not.toContain('password');
  });
});
