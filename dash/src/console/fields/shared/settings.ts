import type { Setting } from './field-kind.types.js';

const ANY: readonly Setting[] = ['optional', 'default', 'immutable', 'setter', 'getter', 'filterable'];

/** Of types that have an order, and may be unique. */
export const ORDERED_SETTINGS: readonly Setting[] = [...ANY, 'unique', 'sortable'];
export const STRING_SETTINGS: readonly Setting[] = [...ORDERED_SETTINGS, 'size', 'searchable'];
export const TEXT_SETTINGS: readonly Setting[] = [...ANY, 'size', 'sortable', 'searchable'];
export const BYTES_SETTINGS: readonly Setting[] = [...ANY, 'size'];
export const ENUM_SETTINGS: readonly Setting[] = [...ORDERED_SETTINGS, 'enums'];
/** Of types without an order. */
export const PLAIN_SETTINGS: readonly Setting[] = ANY;
export const RELATION_SETTINGS: readonly Setting[] = ['optional', 'default', 'immutable', 'filterable', 'relation'];
export const FILE_SETTINGS: readonly Setting[] = ['optional', 'immutable', 'filterable', 'multiple', 'file'];
