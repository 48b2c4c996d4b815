import type { SchemaAbility } from '../../../data/content/access/content-abilities.service.js';
import type { ContentLimits, ContentAction } from '../../../data/content/content.public.js';
import type { ErrorCode } from '../../../kernel/errors/error-catalogue.js';
import { isRequiredToCreate } from '../../../data/model/field-uses.js';
import { inData, listOf, parameterRef, schemaRef, type Json } from '../document/references.js';
import { queryParameter, recordParameters } from './content-parameters.js';

/** Documentation of one content route, for a schema with the type name `type`. */
export interface ContentRow {
  /** Prefix of the operation id; the type name follows. */
  readonly verb: string;
  /** The caller must have all of them. */
  readonly actions: readonly ContentAction[];
  readonly summary: string;
  readonly parameters?: (ability: SchemaAbility, type: string) => readonly Json[];
  readonly body?: (type: string, ability: SchemaAbility) => Json;
  /** Media types that the body accepts besides JSON. */
  readonly bodyTexts?: readonly string[];
  readonly answer: (type: string) => Json;
  readonly status?: number;
  /** Media types of the response besides JSON. */
  readonly texts?: readonly string[];
  /** Whether it returns no body with `Prefer: return=minimal`. */
  readonly minimal?: boolean;
  /** Whether it returns 304 for a matching `If-None-Match`. */
  readonly conditional?: boolean;
  readonly headers?: readonly ('ETag' | 'Location')[];
  readonly errors: readonly ErrorCode[];
}

const record = (type: string): Json => inData(schemaRef(type));
const filterOf = (type: string): Json => parameterRef(`${type}Filter`);
const required = (type: string): Json => ({
  name: 'filter',
  in: 'query',
  description: 'Filter of the affected records. `{}` matches all.',
  content: { 'application/json': { schema: schemaRef(`${type}Filter`) } },
  required: true,
});
const byCommas = (name: string, description: string): Json => ({
  name,
  in: 'query',
  description,
  style: 'form',
  explode: false,
  schema: listOf({ type: 'string' }),
});
const choice = (name: string, values: readonly string[]): Json =>
  queryParameter(name, `Default: \`${values[0]}\`.`, { enum: values });
const page = (name: string, type: string): Json =>
  inData({ allOf: [schemaRef(name), { properties: { items: listOf(schemaRef(type)) } }] });

/** Returns the body of a replacement. Omitted values are cleared, so fields that cannot be empty are required. */
function replacement(type: string, ability: SchemaAbility): Json {
  const names = ability
    .writableFields('update')
    .filter(isRequiredToCreate)
    .map(({ name }) => name);
  return names.length === 0 ? schemaRef(`${type}Update`) : { allOf: [schemaRef(`${type}Update`), { required: names }] };
}

const WRITE_ERRORS: readonly ErrorCode[] = [
  'query_invalid',
  'field_invalid',
  'reference_not_found',
  'quota_exceeded',
  'unique_violation',
  'idempotency_key_reused',
];
const CHANGE_ERRORS: readonly ErrorCode[] = [...WRITE_ERRORS, 'record_not_found', 'record_changed', 'links_truncated'];
const DELETE_ERRORS: readonly ErrorCode[] = [
  'query_invalid',
  'field_invalid',
  'record_in_use',
  'idempotency_key_reused',
];
const IF_MATCH = parameterRef('IfMatch');
const IF_NONE_MATCH = parameterRef('IfNoneMatch');
const PREFER = parameterRef('Prefer');
const ONCE = parameterRef('IdempotencyKey');

type ContentRows = Readonly<Record<string, ContentRow>>;

const LIST = {
  verb: 'list',
  parameters: (ability, type) => [
    filterOf(type),
    parameterRef(`${type}Sort`),
    ...['Limit', 'Page', 'Cursor', 'Count'].map(parameterRef),
    ...recordParameters(ability, type),
    IF_NONE_MATCH,
  ],
  conditional: true,
  headers: ['ETag'],
  answer: (type) => ({ anyOf: [page('Page', type), page('CursorPage', type)] }),
} as const satisfies Partial<ContentRow>;

const READING: ContentRows = {
  'GET /api/content/:schema': {
    ...LIST,
    actions: ['list'],
    summary: 'List records, by page or cursor',
    errors: ['query_invalid'],
  },
  'GET /api/content/:schema/:id': {
    verb: 'get',
    actions: ['get'],
    summary: 'Get a record',
    parameters: (ability, type) => [...recordParameters(ability, type), IF_NONE_MATCH],
    conditional: true,
    answer: record,
    headers: ['ETag'],
    errors: ['query_invalid', 'record_not_found'],
  },
  'GET /api/content/:schema/:id/:relation': {
    ...LIST,
    actions: ['get'],
    summary: 'List the related records of a to-many relation, by page or cursor',
    errors: ['query_invalid', 'record_not_found'],
  },
  'GET /api/content/:schema/export': {
    verb: 'export',
    actions: ['list'],
    summary: 'Export all records of a list in one snapshot',
    parameters: (ability, type) => [
      filterOf(type),
      parameterRef(`${type}Sort`),
      choice('format', ['csv', 'ndjson', 'json']),
      choice('formulas', ['escape', 'keep']),
      ...recordParameters(ability, type),
    ],
    answer: (type) => listOf(schemaRef(type)),
    texts: ['text/csv', 'application/x-ndjson'],
    errors: ['query_invalid', 'server_busy'],
  },
  'GET /api/content/:schema/aggregate': {
    verb: 'aggregate',
    actions: ['aggregate'],
    summary: 'Aggregate records: count, sum, average, minimum and maximum by group',
    parameters: (_ability, type) => [
      filterOf(type),
      { name: 'count', in: 'query', schema: { const: '*' } },
      ...['sum', 'avg', 'min', 'max'].map((name) => byCommas(name, 'Fields to aggregate, separated by commas.')),
      byCommas('group', 'Fields to group by, separated by commas. Dots select fields of to-one relations.'),
      queryParameter('limit', 'Maximum number of groups on a page.', {
        type: 'integer',
        minimum: 1,
        maximum: 1_000,
        default: 100,
      }),
      parameterRef('Cursor'),
    ],
    answer: (type) => ({
      type: 'object',
      required: ['data', 'next_cursor'],
      properties: { data: listOf(schemaRef(`${type}Group`)), next_cursor: { type: ['string', 'null'] } },
    }),
    errors: ['query_invalid'],
  },
};

const CHANGE = {
  parameters: (ability, type) => [...recordParameters(ability, type), IF_MATCH, ONCE, PREFER],
  answer: record,
  minimal: true,
  headers: ['ETag'],
  errors: CHANGE_ERRORS,
} as const satisfies Partial<ContentRow>;

const CHANGING: ContentRows = {
  'PATCH /api/content/:schema/:id': {
    ...CHANGE,
    verb: 'update',
    actions: ['update'],
    summary: 'Update a record',
    body: (type) => schemaRef(`${type}Update`),
  },
  'PUT /api/content/:schema/:id': {
    ...CHANGE,
    verb: 'replace',
    actions: ['update'],
    summary: 'Replace a record: omitted values are cleared, relations are unchanged',
    body: replacement,
  },
  'DELETE /api/content/:schema/:id': {
    verb: 'delete',
    actions: ['delete'],
    summary: 'Delete a record',
    parameters: () => [IF_MATCH, ONCE],
    answer: () => inData({ const: true }),
    errors: [...DELETE_ERRORS, 'record_not_found', 'record_changed'],
  },
  'POST /api/content/:schema/:id/restore': {
    ...CHANGE,
    verb: 'restore',
    actions: ['restore'],
    summary: 'Restore a deleted record',
  },
};

const IMPORTED: Json = {
  type: 'object',
  required: ['rows', 'created', 'updated', 'dry_run', 'ignored', 'blank'],
  properties: {
    rows: { type: 'integer' },
    created: { type: 'integer' },
    updated: { type: 'integer' },
    dry_run: { type: 'boolean' },
    ignored: {
      ...listOf({ type: 'string' }),
      description: 'Fields of the file that were ignored because the service sets them.',
    },
    blank: { type: 'integer', description: 'CSV rows that were skipped because all cells are empty.' },
  },
};

const IMPORT: ContentRow = {
  verb: 'import',
  actions: ['create'],
  summary: 'Import records from a file in one transaction',
  parameters: () => [
    {
      ...choice('format', ['csv', 'ndjson', 'json']),
      description: 'Format of the body. Default: from `Content-Type`.',
    },
    choice('delimiter', ['comma', 'semicolon', 'tab']),
    {
      name: 'columns',
      in: 'query',
      description: 'For CSV: JSON object that maps column names to fields. `null` ignores a column.',
      content: {
        'application/json': {
          schema: { type: 'object', additionalProperties: { type: ['string', 'null'] } },
        },
      },
    },
    choice('formulas', ['escape', 'keep']),
    choice('generated', ['new', 'keep']),
    choice('mode', ['create', 'update', 'upsert']),
    queryParameter('key', 'Unique field that identifies existing records. Default: the primary key.', {
      type: 'string',
    }),
    { name: 'dry_run', in: 'query', schema: { type: 'boolean' } },
  ],
  body: (type) => listOf(schemaRef(`${type}Create`)),
  bodyTexts: ['text/csv', 'application/x-ndjson'],
  answer: () => inData(IMPORTED),
  errors: ['query_invalid', 'import_invalid', 'quota_exceeded', 'server_busy'],
};

function ofMany({ bulkRecords }: ContentLimits): ContentRows {
  return {
    'POST /api/content/:schema': {
      verb: 'create',
      actions: ['create'],
      summary: 'Create a record, or a list of records in one transaction',
      parameters: (ability, type) => [...recordParameters(ability, type), ONCE, PREFER],
      body: (type) => ({
        anyOf: [schemaRef(`${type}Create`), { ...listOf(schemaRef(`${type}Create`)), maxItems: bulkRecords }],
      }),
      answer: (type) => inData({ anyOf: [schemaRef(type), listOf(schemaRef(type))] }),
      status: 201,
      minimal: true,
      headers: ['ETag', 'Location'],
      errors: WRITE_ERRORS,
    },
    'POST /api/content/:schema/import': IMPORT,
    'PATCH /api/content/:schema': {
      verb: 'updateMany',
      actions: ['update', 'list'],
      summary: `Update all records that match a filter (at most ${bulkRecords}) in one transaction`,
      parameters: (_ability, type) => [required(type), ONCE],
      body: (type) => schemaRef(`${type}Update`),
      answer: () => inData(schemaRef('Count')),
      errors: [...WRITE_ERRORS, 'links_truncated'],
    },
    'DELETE /api/content/:schema': {
      verb: 'deleteMany',
      actions: ['delete', 'list'],
      summary: `Delete all records that match a filter (at most ${bulkRecords}) in one transaction`,
      parameters: (_ability, type) => [required(type), ONCE],
      answer: () => inData(schemaRef('Count')),
      errors: DELETE_ERRORS,
    },
  };
}

/** Returns the content routes by their declared method and path. A test compares them with the actual routes. */
export function contentRows(limits: ContentLimits): ContentRows {
  return { ...READING, ...ofMany(limits), ...CHANGING };
}
