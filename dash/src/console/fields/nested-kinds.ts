import { createContext } from 'react';
import type { FieldType } from '../data/record-schema.js';
import type { FieldKind } from './field-kind.types.js';

/** Ways to write fields of a record that is made within the form of another one; null if none can be made. */
export const NestedKinds = createContext<Readonly<Record<FieldType, FieldKind>> | null>(null);
