import { createContext } from 'react';
import type { FieldType } from '../data/record-schema.js';
import type { FieldKind } from './field-kind.types.js';

/** Inputs for records that are created within the form of another record. Null disables creating them. */
export const NestedKinds = createContext<Readonly<Record<FieldType, FieldKind>> | null>(null);
