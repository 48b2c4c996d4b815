import type { FaultRow } from './fault-row.types.js';

/** Codes about the set of schemas while it is built (specification, "builder.*"). */
export const BUILDER_CODES = {
  'builder.schema.duplicate': {
    message: 'The system schema "{schema}" is declared more than once.',
    when: 'system schema declared more than once',
    stage: 'link',
    origin: 'specification',
  },
  'builder.schema.not_found': {
    message: 'There is no schema "{name}". Available: {available}.',
    when: 'requested schema not in builder; message lists available',
    stage: 'snapshot',
    origin: 'specification',
  },
  'builder.schema.primary_key.missing': {
    message: 'The schema "{schema}" has no primary key.',
    when: 'schema lacks a primary-key field at build time',
    stage: 'link',
    origin: 'specification',
  },
  'builder.relation.not_m2m': {
    message: 'The relation "{field}" is {type}, not m2m: it has no junction table.',
    when: 'm2m junction requested for a non-m2m relation',
    stage: 'validate',
    origin: 'specification',
  },
  'builder.junction_field.create_failed': {
    message: 'A column of the junction table "{table}" could not be made.',
    when: 'junction field creation failed (internal)',
    stage: 'link',
    origin: 'specification',
  },
} as const satisfies Record<`builder.${string}`, FaultRow>;
