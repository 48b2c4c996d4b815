import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SchemaDefinition } from '../../api/openapi.js';
import { OF_SERVICE } from '../data/service-schemas.js';
import { BOX_WIDTH, graphOf } from './diagram-graph.js';
import { svgOf } from './diagram-svg.js';
import { laidOut, lineBetween, positionsOf, parsePositions } from './positions.js';

type Relation = NonNullable<NonNullable<SchemaDefinition['fields']>[number]['relation']>;
const text = (name: string) => ({ type: 'string' as const, name });
const relation = (name: string, schema: string, field: string, rest: Partial<Relation> = {}) => ({
  type: 'relation' as const,
  name,
  relation: { schema, field, type: 'o2m' as const, ...rest },
});

const SCHEMAS: SchemaDefinition[] = [
  { name: 'author', fields: [text('name'), relation('posts', 'post', 'author', { owner: true })] },
  {
    name: 'post',
    fields: [
      text('title'),
      relation('author', 'author', 'posts'),
      relation('tags', 'tag', 'posts', { type: 'm2m', owner: true }),
      relation('reader', 'user', 'read', { type: 'm2o', optional: true }),
    ],
  },
  {
    name: 'tag',
    fields: [text('name'), relation('posts', 'post', 'tags', { type: 'm2m' }), relation('parent', 'tag', 'children')],
  },
  { name: 'lonely', fields: Array.from({ length: 300 }, (_, index) => text(`field${index}`)) },
  { name: 'user', fields: [text('email')] },
];

describe('the diagram', () => {
  it('has one line per relation, from the one side to the many side', () => {
    const { links } = graphOf(SCHEMAS, null);
    expect(links.map(({ source, target, kind }) => `${source} ${kind} ${target}`).sort()).toEqual([
      'author 1:n post',
      'post n:m tag',
      'tag 1:n tag',
      'user 1:n post',
    ]);
    expect(graphOf([...SCHEMAS].reverse(), null).links).toHaveLength(4);
  });

  it('shows system schemas as names, and only if they are related', () => {
    const { boxes } = graphOf(SCHEMAS, null);
    expect(boxes.map(({ name, isStub }) => (isStub ? `(${name})` : name))).toEqual([
      'author',
      'lonely',
      'post',
      'tag',
      '(user)',
    ]);
    expect(graphOf([{ name: 'user' }], null)).toEqual({ boxes: [], links: [] });
  });

  it('shows the neighbours of a schema, and their neighbours as names', () => {
    const { boxes } = graphOf(SCHEMAS, 'author');
    expect(boxes.map(({ name, isStub }) => (isStub ? `(${name})` : name))).toEqual([
      'author',
      'post',
      '(tag)',
      '(user)',
    ]);
    expect(graphOf(SCHEMAS, 'nothing').boxes).toEqual([]);
  });

  it('limits the rows of schemas with hundreds of fields', () => {
    const lonely = graphOf(SCHEMAS, null).boxes.find(({ name }) => name === 'lonely');
    expect([lonely?.rows.length, lonely?.more]).toEqual([14, 286]);
  });

  it('knows the system schemas', () => {
    const source = join(__dirname, '../../../../src');
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.schema.ts'),
    );
    const names = files.flatMap((name) =>
      [...readFileSync(join(source, name), 'utf8').matchAll(/definition: \{\s+name: '(\w+)'/g)].map(
        ([, found]) => found,
      ),
    );
    expect(new Set(names)).toEqual(new Set(OF_SERVICE));
  });

  it('lays out boxes without overlaps', () => {
    const many = Array.from({ length: 60 }, (_, index) => ({
      name: `s${index}`,
      fields: [text('a'), relation('next', `s${(index * 7 + 3) % 60}`, `back${index}`)],
    }));
    const graph = graphOf(many, null);
    const positions = laidOut(graph);
    const overlaps = graph.boxes.flatMap((item, index) =>
      graph.boxes.slice(index + 1).filter((other) => {
        const [a, b] = [positions[item.name]!, positions[other.name]!];
        return Math.abs(a.x - b.x) < BOX_WIDTH && a.y < b.y + other.height && b.y < a.y + item.height;
      }),
    );
    expect(graph.boxes).toHaveLength(60);
    expect(overlaps).toEqual([]);
  });

  it('keeps stored positions, and puts new boxes below', () => {
    const graph = graphOf(SCHEMAS, null);
    const stored = { author: { x: 5, y: 7 }, post: { x: 400, y: -90 }, gone: { x: 1, y: 1 } };
    const positions = positionsOf(graph, stored);
    expect([positions['author'], positions['post'], positions['gone']]).toEqual([
      stored.author,
      stored.post,
      undefined,
    ]);
    expect(positions['tag']!.y).toBeGreaterThan(100);
    expect(new Set(Object.values(positions).map(({ x, y }) => `${x} ${y}`)).size).toBe(5);
  });

  it('ignores invalid stored positions', () => {
    for (const stored of [null, '', 'x', '[]', '1', 'null']) expect(parsePositions(stored)).toEqual({});
    const stored = '{"a":{"x":1,"y":2},"b":{"x":"1","y":2},"c":null,"d":{"x":1},"e":{"x":1e999,"y":0}}';
    expect(parsePositions(stored)).toEqual({ a: { x: 1, y: 2 } });
  });

  it('escapes names in the SVG image', () => {
    const names = ['<script>alert(1)</script>', '"&\'', 'a'];
    const graph = graphOf(
      names.map((name) => ({ name, fields: [text(name)] })),
      null,
    );
    const colours = { page: '#fff', box: '#fff', line: '"><script>', text: '#000', dimmed: '#777', accent: '#055' };
    const { svg, width, height } = svgOf(graph, positionsOf(graph, {}), colours, (count) => `${count} more`);
    expect(svg).not.toMatch(/<script|on\w+=|href/);
    expect(svg).toContain('&lt;script&gt;alert(');
    expect(width > BOX_WIDTH && height > 40).toBe(true);
    expect(svg.match(/<svg /g)).toHaveLength(1);
  });

  it('draws lines between the nearer sides', () => {
    const [left, right] = [
      { x: 0, y: 0, height: 40 },
      { x: 500, y: 100, height: 40 },
    ];
    expect(lineBetween(left, right)).toBe(`M${BOX_WIDTH},20 C370,20 370,120 500,120`);
    expect(lineBetween(right, left)).toBe(`M500,120 C370,120 370,20 ${BOX_WIDTH},20`);
    expect(lineBetween(left, left)).toMatch(/^M240,/);
  });
});
