import { createContext } from 'react';
import type { FieldType } from '../../data/record-schema.js';
import type { FieldKind } from './field-kind.types.js';

/** How fields of a record are written that is made within the form of another one; null where none can be made. */
export const NestedKinds = createContext<Readonly<Record<FieldType, FieldKind>> | null>(null);
