import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import {
  allOf,
  Field,
  type FieldCheck,
  required,
  requiredText,
  withConstraints,
} from '../../platform/http/input/field.decorator.js';
import { OperationFacts } from '../../platform/operations/operations.public.js';

/** `running`: in progress; `done`; `stopped`: by an error, for example a refused record; `cancelled`: by its owner. */
const BULK_STATES = ['running', 'done', 'stopped', 'cancelled'] as const;
export type BulkState = (typeof BULK_STATES)[number];

const BULK_ACTIONS = ['update', 'delete', 'restore'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** A bulk change, as returned to its owner. */
@ApiSchema({ name: 'BulkChange' })
export class BulkChangeStatus extends OperationFacts {
  @ApiProperty() readonly schema: string;
  @ApiProperty({ enum: BULK_ACTIONS }) readonly action: BulkAction;
  @ApiProperty({ enum: BULK_STATES }) readonly state: BulkState;
  @ApiProperty({ type: 'integer', description: 'Number of records that matched the filter at the start.' })
  readonly total: number;
  @ApiProperty({ type: 'integer', description: 'Number of records processed so far.' }) readonly seen: number;
  @ApiProperty({ type: 'integer', description: 'Number of records updated, deleted or restored.' })
  readonly changed: number;
}

const optionalObject: FieldCheck = withConstraints({ type: 'object' }, (value) =>
  value === undefined || (typeof value === 'object' && !Array.isArray(value))
    ? null
    : { code: 'type_invalid', message: 'must be an object' },
);
const actionName: FieldCheck = allOf(requiredText(7), (value) =>
  BULK_ACTIONS.some((action) => action === value)
    ? null
    : { code: 'value_invalid', message: `must be one of ${BULK_ACTIONS.join(', ')}` },
);

/** Body of `POST /api/bulk-changes`. */
export class BulkChangeBody {
  /** Name or namespace of the schema. */
  @Field(requiredText(100)) schema: string;
  @Field(actionName) action: BulkAction;
  /** Filter in the format of a list; `{}` matches all records. `restore` affects only deleted records. */
  @Field(required(optionalObject)) filter: object;
  /** For `update`: the values, as in the update of a single record. */
  @Field(optionalObject) values?: object | null;
}
