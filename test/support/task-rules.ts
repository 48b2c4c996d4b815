import fc from 'fast-check';
import { field, relation, schema } from './schema-definitions.js';

/** Tasks of projects, with every kind of to-one relation and one to-many relation. */
export const TASK_SCHEMAS = [
  schema('project', [
    field('string', 'secret', { optional: true }),
    field('int', 'size', { optional: true }),
    field('bool', 'open', { optional: true }),
    relation('tasks', 'task', 'project', 'o2m', { owner: true }),
    relation('audits', 'task', 'audited', 'o2m', { owner: true, on_delete: 'restrict' }),
    relation('parent', 'project', 'children', 'm2o'),
    relation('children', 'project', 'parent', 'o2m', { owner: true }),
  ]),
  schema('task', [
    field('string', 'note', { optional: true }),
    field('int', 'weight', { optional: true }),
    relation('project', 'project', 'tasks', 'm2o'),
    relation('audited', 'project', 'audits', 'm2o', { on_delete: 'restrict' }),
    relation('badge', 'badge', 'task', 'o2o', { owner: true }),
    relation('tags', 'tag', 'tasks', 'm2m', { owner: true }),
  ]),
  schema('badge', [field('int', 'size', { optional: true }), relation('task', 'task', 'badge', 'o2o')]),
  schema('tag', [relation('tasks', 'task', 'tags', 'm2m')]),
];

/** Returns ids that show the kind of record: projects `a`, tasks `b`, tags `c`, badges `d` and `e`. */
export const taskWorldId = (kind: string, at: number) =>
  `00000000-0000-7000-8000-0000000${kind}00${String(at).padStart(2, '0')}`;
const TEXTS = ['a', 'b', 's'];
const text = fc.constantFrom(...TEXTS);
export const projectIds = [0, 1, 2, 3, 4].map((at) => taskWorldId('a', at));

/** A project as stored; `parent` is an index. */
export interface RandomProject {
  readonly id: string;
  readonly title: string;
  readonly secret: string | null;
  readonly size: number | null;
  readonly open: boolean | null;
  readonly parent: number | null;
  readonly deleted: boolean;
}

const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { freq: 2 });
export const randomProjects: fc.Arbitrary<readonly RandomProject[]> = fc.tuple(
  ...projectIds.map((own) =>
    fc.record({
      id: fc.constant(own),
      title: text,
      secret: maybe(text),
      size: maybe(fc.integer({ min: 0, max: 3 })),
      open: maybe(fc.boolean()),
      parent: maybe(fc.nat(4)),
      deleted: fc.boolean(),
    }),
  ),
);
/** Random tasks; their projects are indexes. */
export const randomTasks = fc.array(
  fc.record({
    title: text,
    note: maybe(text),
    weight: maybe(fc.integer({ min: 0, max: 3 })),
    project: maybe(fc.nat(4)),
    audited: maybe(fc.nat(4)),
    badge: fc.constantFrom<null | 'live' | 'gone' | 'both'>(null, 'live', 'gone', 'both'),
    badgeSize: maybe(fc.integer({ min: 0, max: 3 })),
    tags: fc.subarray([0, 1, 2]),
  }),
  { minLength: 6, maxLength: 12 },
);

/** A rule, and the equivalent CEL for the library: there a relation is read as its key, and `has` as "is not empty". */
export interface RulePair {
  readonly rule: string;
  readonly cel: string;
}

const same = (rule: string): RulePair => ({ rule, cel: rule });
const quoted = text.map((value) => `'${value}'`);
const order = fc.constantFrom('<', '<=', '>', '>=', '==', '!=');
const equality = fc.constantFrom('==', '!=');
const textPath = fc.constantFrom(
  'record.title',
  'record.note',
  'record.project.secret',
  'record.project.title',
  'record.audited.secret',
  'record.project.parent.secret',
);
const numberPath = fc.constantFrom(
  'record.weight',
  'record.project.size',
  'record.audited.size',
  'record.badge.size',
  'record.project.parent.size',
);
const toOne = fc.constantFrom(
  'record.project',
  'record.audited',
  'record.badge',
  'record.project.parent',
  'record.audited.parent',
);
const key = fc.constantFrom(...projectIds.slice(0, 3), taskWorldId('b', 1), 'no key').map((value) => `'${value}'`);
const alone = (path: string) => path.replace(/\.(\w+)$/, '.$1_key');
const notEmpty = (path: string) => {
  const steps = path.split('.').slice(1);
  const parts = steps.map((_, at) => `record.${steps.slice(0, at + 1).join('.')} != null`);
  return `(${parts.join(' && ')})`;
};

const atom: fc.Arbitrary<RulePair> = fc.oneof(
  fc.tuple(textPath, order, quoted).map((parts) => same(parts.join(' '))),
  fc.tuple(quoted, order, textPath).map((parts) => same(parts.join(' '))),
  fc.tuple(numberPath, order, fc.nat(3)).map((parts) => same(parts.join(' '))),
  fc.tuple(fc.oneof(textPath, numberPath), equality).map(([path, is]) => same(`${path} ${is} null`)),
  fc.tuple(textPath, fc.array(quoted, { maxLength: 3 })).map(([path, list]) => same(`${path} in [${list.join(', ')}]`)),
  fc
    .tuple(textPath, fc.constantFrom('startsWith', 'endsWith', 'contains'), quoted)
    .map(([path, test, part]) => same(`${path}.${test}(${part})`)),
  fc.tuple(textPath, order, textPath).map((parts) => same(parts.join(' '))),
  fc.tuple(numberPath, order, numberPath).map((parts) => same(parts.join(' '))),
  fc.constantFrom('record.project.open', 'record.audited.open', 'record.project.parent.open').map(same),
  fc.tuple(toOne, equality, fc.oneof(key, fc.constant('null'))).map(([path, is, value]) => ({
    rule: `${path} ${is} ${value}`,
    cel: `${alone(path)} ${is} ${value}`,
  })),
  fc.tuple(toOne, equality, toOne).map(([left, is, right]) => ({
    rule: `${left} ${is} ${right}`,
    cel: `${alone(left)} ${is} ${alone(right)}`,
  })),
  fc.tuple(toOne, fc.array(key, { maxLength: 3 })).map(([path, list]) => ({
    rule: `${path} in [${list.join(', ')}]`,
    cel: `${alone(path)} in [${list.join(', ')}]`,
  })),
  fc
    .tuple(toOne, equality, fc.oneof(key, fc.constant('null')))
    .map(([path, is, value]) => same(`${path}.id ${is} ${value}`)),
  fc.tuple(toOne, fc.array(key, { maxLength: 3 })).map(([path, list]) => same(`${path}.id in [${list.join(', ')}]`)),
  fc.oneof(textPath, numberPath, toOne).map((path) => ({ rule: `has(${path})`, cel: notEmpty(path) })),
  fc.nat(2).map((at) => same(`'${taskWorldId('c', at)}' in record.tags`)),
  fc.constantFrom('true', 'false').map(same),
);

export const randomRule: fc.Arbitrary<RulePair> = fc.letrec<{ rule: RulePair }>((tie) => ({
  rule: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    atom,
    fc.tuple(tie('rule'), fc.constantFrom('&&', '||'), tie('rule')).map(([a, is, b]) => ({
      rule: `(${a.rule}) ${is} (${b.rule})`,
      cel: `(${a.cel}) ${is} (${b.cel})`,
    })),
    tie('rule').map((inner) => ({ rule: `!(${inner.rule})`, cel: `!(${inner.cel})` })),
  ),
})).rule;
