import { type FilePart, partOf } from './file-edits.js';

export type EnumValues = readonly FilePart[];

/** Returns the values of an enum. Invalid entries become empty objects. */
export function valuesOf(enums: unknown): EnumValues {
  return Array.isArray(enums) ? enums.map(partOf) : [];
}

export function addValue(values: EnumValues): EnumValues {
  const usedValues = new Set(values.map(({ value }) => value));
  let value = 'value';
  for (let count = 2; usedValues.has(value); count += 1) value = `value_${count}`;
  return [...values, { value }];
}

/** Sets a member of a value. An empty label is removed. */
export function setValue(values: EnumValues, index: number, member: 'value' | 'label', text: string): EnumValues {
  return values.map((item, at) => {
    if (at !== index) return item;
    const { [member]: _old, ...others } = item;
    return member === 'label' && text === '' ? others : { ...item, [member]: text };
  });
}

export function moveValueUp(values: EnumValues, index: number): EnumValues {
  const [above, own] = [values[index - 1], values[index]];
  if (above === undefined || own === undefined) return values;
  return [...values.slice(0, index - 1), own, above, ...values.slice(index + 1)];
}

/** Removes a value. Returns undefined if it was the last one. */
export function removeValue(values: EnumValues, index: number): EnumValues | undefined {
  return values.length <= 1 ? undefined : values.filter((_, at) => at !== index);
}
