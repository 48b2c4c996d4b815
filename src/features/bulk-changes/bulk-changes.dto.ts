import { ApiProperty } from '@nestjs/swagger';
import { Field } from '../../platform/http/input/field.decorator.js';
import { allOf, type FieldCheck, requiredText, withConstraints } from '../../platform/http/http.public.js';
import { BULK_ACTIONS, BULK_STATES, type BulkAction, type BulkState } from './bulk-change.entity.js';

/** A change of many records, as its owner sees it. */
export class ToldBulkChange {
  @ApiProperty({ format: 'uuid' }) readonly id: string;
  @ApiProperty() readonly schema: string;
  @ApiProperty({ enum: BULK_ACTIONS }) readonly action: BulkAction;
  @ApiProperty({ enum: BULK_STATES }) readonly state: BulkState;
  @ApiProperty({ type: 'integer', description: 'Records that the filter found when it began.' }) readonly total: number;
  @ApiProperty({ type: 'integer', description: 'Records that it has come to.' }) readonly seen: number;
  @ApiProperty({ type: 'integer', description: 'Records that it has changed, deleted or restored.' })
  readonly changed: number;
  @ApiProperty({ type: String, nullable: true, description: 'Why it was stopped: a code of an error.' })
  readonly error: string | null;
  @ApiProperty({ format: 'date-time' }) readonly created_at: string;
  @ApiProperty({ format: 'date-time' }) readonly updated_at: string;
  @ApiProperty({ format: 'date-time', description: 'When it is forgotten.' }) readonly expires_at: string;
}

const anObject: FieldCheck = withConstraints({ type: 'object' }, (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? null
    : { code: 'type_invalid', message: 'must be an object' },
);
const requiredObject: FieldCheck = withConstraints({ type: 'object' }, (value) =>
  value === undefined || value === null ? { code: 'required', message: 'is required' } : anObject(value),
);
const optionalObject: FieldCheck = withConstraints({ type: 'object' }, (value) =>
  value === undefined || value === null ? null : anObject(value),
);
const actionName: FieldCheck = allOf(requiredText(7), (value) =>
  BULK_ACTIONS.some((action) => action === value)
    ? null
    : { code: 'value_invalid', message: `must be one of ${BULK_ACTIONS.join(', ')}` },
);

/** Body of a request for a change: the action and its records. */
export class BulkChangeBody {
  /** Name or namespace of the schema. */
  @Field(requiredText(100)) schema: string;
  @Field(actionName) action: BulkAction;
  /** As `filter` of a list; `{}` for all. A restoration is of the deleted ones among them. */
  @Field(requiredObject) filter: object;
  /** For `update`: the body of a change of one. */
  @Field(optionalObject) values?: object | null;
}
